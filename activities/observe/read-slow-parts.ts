import type { MigrationPolicy } from '../../domain/policy.js';
import { MANAGED_BY, MANAGED_BY_LABEL, SYSTEM_NAMESPACE } from '../../domain/rendering/paths.js';
import { BASELINE_NAME, observeBaseline, readBaseline } from '../baseline.js';
import type { CallOptions, ClusterPorts } from '../ports.js';
import { summarizeInventory } from './inventory.js';
import { loadBalancersOf } from './load-balancers.js';
import type { ConfigMapObject, NodeObject, ServiceObject, VolumeObject } from './objects.js';
import { readAccess } from './read-access.js';
import { nameOf } from './objects.js';
import { readKubelets } from './read-kubelets.js';
import { readKubeadm } from './read-kubeadm.js';
import type { SlowPart, SlowParts } from './slow-parts.js';
import type { WorkloadObject, WorkloadReading } from './workload.js';
import { workloadOf } from './workload.js';

export interface SlowRequest {
  readonly policy: MigrationPolicy;
  readonly carried: SlowParts;
  readonly refresh: readonly SlowPart[];
}

/** Reads the asked parts in parallel and carries the others over. */
export async function readSlowParts(
  ports: ClusterPorts,
  { policy, carried, refresh }: SlowRequest,
  options: CallOptions,
): Promise<SlowParts> {
  if (refresh.length === 0) return carried;
  const wants = (part: SlowPart): boolean => refresh.includes(part);
  const [serverVersion, ours, { inventory, loadBalancers }, kubeadm, access] = await Promise.all([
    wants('version') ? readVersion(ports, options) : carried.serverVersion,
    wants('workload') || wants('baseline') ? listOurConfigMaps(ports, options) : [],
    wants('inventory') ? readInventory(ports, policy, options) : carried,
    wants('kubeadm') ? readKubeadm(ports.api, options) : carried.kubeadm,
    readAccess(ports.api, policy, carried, refresh, options),
  ]);
  const workload = wants('workload')
    ? await readWorkload(ports, ours, policy, options)
    : carried.workload;
  return {
    ...carried,
    ...(wants('baseline') ? baselineParts(ours, policy) : {}),
    ...access,
    serverVersion,
    kubeadm,
    workload,
    inventory,
    loadBalancers,
  };
}

function baselineParts(
  ours: readonly ConfigMapObject[],
  policy: MigrationPolicy,
): Pick<SlowParts, 'baseline' | 'baselineManifest'> {
  const baseline = readBaseline(ours.find((each) => nameOf(each) === BASELINE_NAME) ?? null);
  return {
    baseline: observeBaseline(baseline, policy),
    baselineManifest: baseline?.manifest ?? null,
  };
}

async function readVersion({ api }: ClusterPorts, options: CallOptions): Promise<string> {
  const { gitVersion } = await api.serverVersion(options);
  return gitVersion.replace(/^v/, '');
}

/** Baseline and Leader Migration files of a DaemonSet, in one request. */
async function listOurConfigMaps(
  { api }: ClusterPorts,
  options: CallOptions,
): Promise<readonly ConfigMapObject[]> {
  const page = await api.list<ConfigMapObject>(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: SYSTEM_NAMESPACE },
    { ...options, labelSelector: `${MANAGED_BY_LABEL}=${MANAGED_BY}` },
  );
  return page.items;
}

async function readWorkload(
  { api }: ClusterPorts,
  ours: readonly ConfigMapObject[],
  policy: MigrationPolicy,
  options: CallOptions,
): Promise<WorkloadReading> {
  const pages = await Promise.all(
    ['DaemonSet', 'Deployment'].map(async (kind) => {
      const ref = { apiVersion: 'apps/v1', kind, namespace: SYSTEM_NAMESPACE };
      const { items } = await api.list<WorkloadObject>(ref, options);
      // Items of a list carry no kind of their own.
      return items.map((item) => ({ ...item, apiVersion: ref.apiVersion, kind }));
    }),
  );
  return workloadOf(pages.flat(), ours, policy);
}

async function readInventory(
  ports: ClusterPorts,
  policy: MigrationPolicy,
  options: CallOptions,
): Promise<Pick<SlowParts, 'inventory' | 'loadBalancers'>> {
  const { api } = ports;
  const [nodes, services, volumes] = await Promise.all([
    api.list<NodeObject>({ apiVersion: 'v1', kind: 'Node' }, options),
    api.list<ServiceObject>({ apiVersion: 'v1', kind: 'Service' }, options),
    api.list<VolumeObject>({ apiVersion: 'v1', kind: 'PersistentVolume' }, options),
  ]);
  const loadBalancers = loadBalancersOf(services.items);
  const inventory = summarizeInventory({
    nodes: nodes.items,
    loadBalancers,
    volumes: volumes.items,
    kubelets: policy.rollWorkers.enabled
      ? await readKubelets(ports, nodes.items, options)
      : new Map(),
  });
  return { inventory, loadBalancers };
}
