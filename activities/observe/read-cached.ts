import { memoizeByKey } from '../../domain/memoize.js';
import { MANAGED_BY, MANAGED_BY_LABEL, SYSTEM_NAMESPACE } from '../../domain/manifests/paths.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Tristate } from '../../domain/vocabulary.js';
import { memberOf, readTree } from '../../domain/yaml/tree.js';
import { failureTypeOf } from '../failures.js';
import { KUBELET_FLAGS } from '../node-paths.js';
import type { CallOptions, ClusterPorts, KubernetesApi, ObjectRef } from '../ports.js';
import { BASELINE_NAME, observeBaseline, readBaseline } from './baseline.js';
import { type ListedInventory, summarizeInventory } from './inventory.js';
import { type KubeletProvider, settledProvider } from './kubelet-flags.js';
import type { ConfigMapObject, NodeObject, ServiceObject, VolumeObject } from './objects.js';
import { CONTROL_PLANE_LABEL, nameOf } from './objects.js';
import { readAccess } from './read-access.js';
import type { KubeadmReading } from './readings.js';
import type { CachedRead, CachedReads } from './cached-reads.js';
import type { WorkloadObject, WorkloadReading } from './workload.js';
import { workloadOf } from './workload.js';

export interface CachedReadRequest {
  readonly policy: MigrationPolicy;
  readonly carried: CachedReads;
  readonly refresh: readonly CachedRead[];
}

/** Cached reads, and what else was listed for them. */
export interface FreshReads {
  readonly cached: CachedReads;
  /** All Nodes, where the inventory was read. */
  readonly nodes: readonly NodeObject[] | null;
}

/** Reads the asked parts in parallel and carries the others over. */
export async function readCached(
  ports: ClusterPorts,
  { policy, carried, refresh }: CachedReadRequest,
  options: CallOptions,
): Promise<FreshReads> {
  if (refresh.length === 0) return { cached: carried, nodes: null };
  const wants = (part: CachedRead): boolean => refresh.includes(part);
  const [serverVersion, ours, listed, kubeadm, access] = await Promise.all([
    wants('version') ? readVersion(ports, options) : carried.serverVersion,
    wants('workload') || wants('baseline') ? listOurConfigMaps(ports, options) : [],
    wants('inventory') ? readInventory(ports, policy, options) : { ...carried, nodes: null },
    wants('kubeadm') ? readKubeadm(ports.api, options) : carried.kubeadm,
    readAccess(ports.api, policy, carried, refresh, options),
  ]);
  const workload = wants('workload')
    ? await readWorkload(ports, ours, policy, options)
    : carried.workload;
  const { inventory, loadBalancers, objects, nodes } = listed;
  const cached = {
    ...carried,
    ...(wants('baseline') ? baselineParts(ours, policy) : {}),
    ...access,
    ...{ serverVersion, kubeadm, workload, inventory, loadBalancers, objects },
  };
  return { cached, nodes };
}

function baselineParts(
  ours: readonly ConfigMapObject[],
  policy: MigrationPolicy,
): Pick<CachedReads, 'baseline' | 'baselineManifest'> {
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
): Promise<ListedInventory & Pick<FreshReads, 'nodes'>> {
  const { api } = ports;
  const [nodes, services, volumes] = await Promise.all([
    api.list<NodeObject>({ apiVersion: 'v1', kind: 'Node' }, options),
    api.list<ServiceObject>({ apiVersion: 'v1', kind: 'Service' }, options),
    api.list<VolumeObject>({ apiVersion: 'v1', kind: 'PersistentVolume' }, options),
  ]);
  const kubelets = policy.rollWorkers.enabled
    ? await readKubelets(ports, nodes.items, options)
    : new Map<string, KubeletProvider>();
  const listed = { nodes: nodes.items, services: services.items, volumes: volumes.items };
  return { ...summarizeInventory({ ...listed, kubelets }), nodes: nodes.items };
}

export const KUBEADM_CONFIG: ObjectRef = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'kube-system',
  name: 'kubeadm-config',
};

export const CLUSTER_CONFIGURATION = 'ClusterConfiguration';

export async function readKubeadm(
  api: KubernetesApi,
  options: CallOptions,
): Promise<KubeadmReading> {
  const found = await api.get<ConfigMapObject>(KUBEADM_CONFIG, options);
  if (found === null) return { configMap: 'absent', clusterConfiguration: '' };
  const text = found.object.data?.[CLUSTER_CONFIGURATION] ?? '';
  return { configMap: text === '' ? 'unknown' : 'present', clusterConfiguration: text };
}

/**
 * Whether kubeadm is configured with an external etcd: `etcd.external`, or `etcd.local`, one of which its own ConfigMap always
 * has (kubeadm v1.30 app/apis/kubeadm/v1beta3/defaults.go, SetDefaults_Etcd). Unknown without either.
 */
export function isEtcdExternal({ clusterConfiguration }: KubeadmReading): Tristate {
  return externalIn(clusterConfiguration);
}

/** Asked at each observation, about a text that does not change while a cluster migrates. */
const externalIn = memoizeByKey(
  (text: string): Tristate => {
    const tree = readTree(text);
    if (tree.kind === 'invalid') return 'unknown';
    const etcd = memberOf(tree.root, 'etcd');
    if (memberOf(etcd, 'external').kind !== 'absent') return 'yes';
    return memberOf(etcd, 'local').kind === 'absent' ? 'unknown' : 'no';
  },
  (text) => text,
);

/** Workers queried in parallel. */
const WIDTH = 16;

/** The workers' cloud provider as their kubelets run with it; unknown where node access does not reach one. */
async function readKubelets(
  ports: ClusterPorts,
  nodes: readonly NodeObject[],
  options: CallOptions,
): Promise<ReadonlyMap<string, KubeletProvider>> {
  const workers = nodes.filter(
    ({ metadata }) => metadata?.labels?.[CONTROL_PLANE_LABEL] === undefined,
  );
  const found = new Map<string, KubeletProvider>();
  for (let start = 0; start < workers.length; start += WIDTH) {
    const batch = workers.slice(start, start + WIDTH).map(nameOf);
    const providers = await Promise.all(batch.map((name) => readOne(ports, name, options)));
    batch.forEach((name, index) => found.set(name, providers[index] ?? 'unknown'));
  }
  return found;
}

async function readOne(
  { processes }: ClusterPorts,
  name: string,
  options: CallOptions,
): Promise<KubeletProvider> {
  try {
    const wanted = { files: [KUBELET_FLAGS], directories: [] };
    const { host, files } = await processes.snapshot(name, wanted, options);
    return settledProvider(host.kubelets, files.get(KUBELET_FLAGS) ?? null);
  } catch (error) {
    // Not served for workers, or not reached.
    if (NOT_THERE.includes(failureTypeOf(error) ?? '')) return 'unknown';
    throw error;
  }
}

const NOT_THERE = ['Unreachable', 'Timeout', 'NotSupported', 'Conflict'];
