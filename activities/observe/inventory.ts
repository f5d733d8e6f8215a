import type { ObjectList } from '../../domain/comparison/compared-object.js';
import { digestJson } from '../../domain/digest.js';
import { PROBE_NAMESPACE } from '../../domain/probes/balancer-probe.js';
import type { Since } from '../../domain/gates/survival-gates.js';
import type {
  LoadBalancer,
  LoadBalancersThenAndNow,
} from '../../domain/observation/load-balancers.js';
import type { Inventory } from '../../domain/observation/observation.js';
import { nativeDigest } from '../native-digest.js';
import type { KubeletProvider } from './kubelet-flags.js';
import type { NodeObject, ServiceObject, VolumeObject } from './objects.js';
import { CONTROL_PLANE_LABEL, nameOf } from './objects.js';
import { objectListOf, objectListText } from './object-list.js';
import { conditionOf } from './read-live.js';

/** What was listed of what grows with the cluster. */
export interface InventoryReading {
  readonly nodes: readonly NodeObject[];
  readonly services: readonly ServiceObject[];
  readonly volumes: readonly VolumeObject[];
  /** Kubelets' cloud provider by worker, as they run; empty where they were not queried. */
  readonly kubelets: ReadonlyMap<string, KubeletProvider>;
}

/** An inventory, and the lists it was made from, which never leave the worker. */
export interface ListedInventory {
  readonly inventory: Inventory;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly objects: ObjectList;
}

const MAX_EXCEPTIONS = 5;
const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/**
 * PersistentVolume sources that only an in-tree volume plugin or its CSI migration serves.
 * Source: kubernetes/csi-translation-lib plugins/
 */
const IN_TREE_VOLUMES = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cinder',
  'gcePersistentDisk',
  'portworxVolume',
  'vsphereVolume',
];

/** Counts, digests and first exceptions of what grows with the cluster. */
export function summarizeInventory({
  nodes,
  services,
  volumes,
  kubelets,
}: InventoryReading): ListedInventory {
  const balanced = services.filter(isBalanced);
  const loadBalancers = balanced.map(loadBalancerOf);
  const inTree = volumes.filter(isInTree);
  const objects = objectListOf({ nodes, services: balanced, loadBalancers, volumes: inTree });
  const inventory = {
    ...countsOf(nodes, loadBalancers, kubelets),
    persistentVolumes: { inTree: inTree.length },
    objectsDigest: nativeDigest(objectListText(objects)),
  };
  return { inventory, loadBalancers, objects };
}

function countsOf(
  nodes: readonly NodeObject[],
  loadBalancers: readonly LoadBalancer[],
  kubelets: InventoryReading['kubelets'],
): Omit<Inventory, 'persistentVolumes' | 'objectsDigest'> {
  const workers = nodes.filter(
    (node) => node.metadata?.labels?.[CONTROL_PLANE_LABEL] === undefined,
  );
  const pending = loadBalancers.filter((one) => one.leaving || one.addresses.length === 0);
  const withoutId = nodes.filter(({ spec }) => (spec?.providerID ?? '') === '');
  const providers = workers.map((node) => providerOf(node, kubelets.get(nameOf(node))));
  return {
    workers: {
      total: workers.length,
      ready: workers.filter((node) => conditionOf(node.status?.conditions, 'Ready') === 'yes')
        .length,
      kubeletInTree: providers.filter((one) => one === 'inTree' || one === 'none').length,
      kubeletExternal: providers.filter((one) => one === 'external').length,
      uninitialized: nodes.filter(hasUninitializedTaint).length,
    },
    services: {
      loadBalancers: loadBalancers.length,
      pending: pending.length,
      ingressDigest: ingressDigest(loadBalancers),
    },
    nodes: {
      total: nodes.length,
      withoutProviderId: withoutId.length,
      digest: nodesDigest(workers),
    },
    exceptions: [
      ...pending.slice(0, MAX_EXCEPTIONS).map(whatItWaitsFor),
      ...withoutId.slice(0, MAX_EXCEPTIONS).map((node) => `Node ${nameOf(node)} has no providerID`),
    ],
  };
}

function whatItWaitsFor({ key, leaving }: LoadBalancer): string {
  return `Service ${key} ${leaving ? 'waits for its deletion' : 'has no address'}`;
}

/** Workers only: control-plane nodes are replaced on purpose. */
function nodesDigest(workers: readonly NodeObject[]): string {
  return digestRows(
    workers.map((node) => [nameOf(node), node.spec?.providerID ?? '', node.spec?.podCIDR ?? '']),
  );
}

/**
 * The kubelet's own process shows it. Where it was not queried: only a kubelet with --cloud-provider=external registers with
 * the taint. Annotation provided-node-ip proves nothing, because in-tree kubelets with --node-ip write it too.
 * Source: kubernetes/kubernetes pkg/kubelet/kubelet_node_status.go, nodestatus/setters.go.
 */
function providerOf(node: NodeObject, provider: KubeletProvider | undefined): KubeletProvider {
  if (provider !== undefined) return provider;
  return hasUninitializedTaint(node) ? 'external' : 'unknown';
}

export function hasUninitializedTaint(node: NodeObject): boolean {
  return (node.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED);
}

function isInTree({ spec }: VolumeObject): boolean {
  return IN_TREE_VOLUMES.some((source) => spec?.[source] !== undefined);
}

/** Digest of rows in the order of their first column, whatever order they came in. */
function digestRows(rows: readonly (readonly [string, ...unknown[]])[]): string {
  return digestJson([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What probes make comes and goes with them: no part of what a migration must not lose. */
export function isProbe(metadata: ServiceObject['metadata']): boolean {
  return metadata?.namespace === PROBE_NAMESPACE;
}

/** To have a load balancer, and not for a probe. */
function isBalanced({ spec, metadata }: ServiceObject): boolean {
  return spec?.type === 'LoadBalancer' && !isProbe(metadata);
}

function loadBalancerOf({ metadata, status }: ServiceObject): LoadBalancer {
  return {
    key: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`,
    uid: metadata?.uid ?? '',
    addresses: addressesOf(status),
    // Its finalizer waits for the owner of the service controller (P10).
    leaving: metadata?.deletionTimestamp !== undefined,
  };
}

export function addressesOf(status: ServiceObject['status']): readonly string[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  return ingress.map(({ ip, hostname }) => ip ?? hostname ?? '').sort();
}

/** What an inventory keeps of them. */
function ingressDigest(balancers: readonly LoadBalancer[]): string {
  return digestRows(balancers.map(({ key, addresses }) => [key, addresses]));
}

/**
 * A comparison with an earlier inventory. A list cached by a worker counts only if the inventory was made from it, which is
 * mostly not the case after a restart of the worker.
 */
export function sinceInventory(
  inventory: Inventory,
  then: readonly LoadBalancer[] | null,
  now: readonly LoadBalancer[] | null,
): Since {
  return { inventory, loadBalancers: bothOf(inventory, then, now) };
}

function bothOf(
  { services }: Inventory,
  then: readonly LoadBalancer[] | null,
  now: readonly LoadBalancer[] | null,
): LoadBalancersThenAndNow | null {
  if (then === null || now === null) return null;
  return ingressDigest(then) === services.ingressDigest ? { then, now } : null;
}
