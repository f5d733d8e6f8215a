import {
  type ComparedObject,
  factKey,
  objectIdentity,
  type ObjectList,
} from '../../domain/comparison/compared-object.js';
import {
  CLOUD_LABELS,
  CLOUD_TAINTS,
  DEPLOYMENT_DOMAINS,
} from '../../domain/comparison/fact-rules.js';
import { canonicalJson } from '../../domain/digest.js';
import type { LoadBalancer } from '../../domain/observation/load-balancers.js';
import { nativeDigest } from '../native-digest.js';
import type { ApiObject } from '../ports.js';
import type { NodeObject, ServiceObject, VolumeObject } from './objects.js';
import { CONTROL_PLANE_LABEL, nameOf } from './objects.js';

export interface ListedObjects {
  readonly nodes: readonly NodeObject[];
  /** Those that are to have a load balancer. */
  readonly services: readonly ServiceObject[];
  readonly loadBalancers: readonly LoadBalancer[];
  /** Those of in-tree plugins. */
  readonly volumes: readonly VolumeObject[];
}

/** What is compared of a listing. Objects that are being deleted are left out: what becomes of them is meant to be. */
export function objectListOf({
  nodes,
  services,
  loadBalancers,
  volumes,
}: ListedObjects): ObjectList {
  const objects = [
    ...staying(nodes).map(comparedNode),
    ...staying(services).map(comparedService),
    ...staying(volumes).map(comparedVolume),
  ];
  return {
    loadBalancers,
    workers: nodes.filter(isWorker).map(nameOf).sort(),
    objects: sortedBy(objects, objectIdentity),
  };
}

/** The list as text. Its digest is that of the text, so a list that was stored proves by itself that it is the right one. */
export function objectListText(list: ObjectList): string {
  return canonicalJson(list);
}

function staying<T extends ApiObject>(objects: readonly T[]): readonly T[] {
  return objects.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
}

function isWorker({ metadata }: NodeObject): boolean {
  return metadata?.labels?.[CONTROL_PLANE_LABEL] === undefined;
}

function sortedBy<T>(values: readonly T[], keyOf: (value: T) => string): readonly T[] {
  return values
    .map((value) => ({ value, key: keyOf(value) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ value }) => value);
}

type Fact = readonly [string, string];

function comparedService(service: ServiceObject): ComparedObject {
  const { metadata } = service;
  const facts = [
    ...(metadata?.finalizers ?? []).map((name): Fact => [factKey('finalizer', name), '']),
    ...Object.entries(metadata?.annotations ?? {}).flatMap(([name, value]): readonly Fact[] =>
      isOfDeployment(name) ? [] : [[factKey('annotation', name), nativeDigest(value).slice(7, 23)]],
    ),
  ];
  return compared('Service', service, facts);
}

/** `kubectl.kubernetes.io/last-applied-configuration` and its like. */
function isOfDeployment(annotation: string): boolean {
  const [domain = ''] = annotation.split('/', 1);
  return DEPLOYMENT_DOMAINS.some((owner) => domain === owner || domain.endsWith(`.${owner}`));
}

function comparedNode(node: NodeObject): ComparedObject {
  const { spec, status } = node;
  const {
    providerID = '',
    podCIDR,
    podCIDRs = podCIDR === undefined ? [] : [podCIDR],
  } = spec ?? {};
  const facts = [
    ...(providerID === '' ? [] : [[factKey('providerID'), providerID] as const]),
    ...(status?.addresses ?? []).map(({ type, address }): Fact => [
      factKey('address', `${type} ${address}`),
      '',
    ]),
    ...cloudLabels(node),
    ...(spec?.taints ?? []).flatMap(({ key, effect }): readonly Fact[] =>
      CLOUD_TAINTS.includes(key) ? [[factKey('taint', key), effect]] : [],
    ),
    ...podCIDRs.map((range): Fact => [factKey('podCIDR', range), '']),
  ];
  return compared('Node', node, facts);
}

function comparedVolume(volume: VolumeObject): ComparedObject {
  const failed = volume.status?.phase === 'Failed';
  const facts = [
    ...cloudLabels(volume),
    ...(failed ? [[factKey('phase', 'Failed'), ''] as const] : []),
  ];
  return compared('PersistentVolume', volume, facts);
}

function cloudLabels({ metadata }: ApiObject): readonly Fact[] {
  return CLOUD_LABELS.flatMap((name): readonly Fact[] => {
    const value = metadata?.labels?.[name];
    return value === undefined ? [] : [[factKey('label', name), value]];
  });
}

function compared(
  kind: ComparedObject['kind'],
  { metadata }: ApiObject,
  facts: readonly Fact[],
): ComparedObject {
  const { namespace, name = '', uid = '' } = metadata ?? {};
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  return { kind, key, uid, facts: Object.fromEntries(facts) };
}
