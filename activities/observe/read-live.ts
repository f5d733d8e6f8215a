import { COMPONENTS } from '../../domain/managers/controller-names.js';
import type { Tristate } from '../../domain/vocabulary.js';
import { MANAGERS } from '../../domain/vocabulary.js';
import type { ActivityClock } from '../dependencies.js';
import { failureTypeOf } from '../failures.js';
import { FENCE, readFence } from '../fence/fence-record.js';
import type { LeaseObject } from '../lease-reading.js';
import { type LeaseReading, readLease } from '../lease-reading.js';
import { manifestPlaces } from '../node-paths.js';
import type { CallOptions, ClusterPorts, NodeRequest, NodeSnapshot, Page } from '../ports.js';
import { filesNamedBy } from './manifest-reader.js';
import type { NodeObject, PodObject } from './objects.js';
import { CONTROL_PLANE_LABEL, nameOf } from './objects.js';
import type { LiveReads, MachineReading, NamedFiles, PodReading } from './readings.js';
import type { OwnAddresses } from './shared-address.js';
import { readOwnAddresses } from './shared-address.js';

/** Pods of the control plane, by one request. */
const COMPONENT_SELECTOR =
  'component in (kube-controller-manager,cloud-controller-manager,kube-apiserver,etcd)';

export interface QuickOptions extends CallOptions {
  /** Pods of an earlier observation instead of a new list. */
  readonly carriedPods?: readonly PodObject[] | undefined;
  /** Nodes of an earlier observation of the same step, or of the inventory of this one; their hosts are always re-read. */
  readonly carriedNodes?: readonly NodeObject[] | undefined;
  readonly knownAddresses: OwnAddresses;
  /** What each node named at the last observation. */
  readonly knownFiles: NamedFiles;
}

/**
 * One observation: three API requests (Leases of kube-system, control-plane Nodes, control-plane Pods) and, in parallel,
 * the host, metrics and files of each node. Leases are read last, so that their holders were observed before.
 */
export async function readLive(
  ports: ClusterPorts,
  clock: ActivityClock,
  { carriedPods, carriedNodes, knownAddresses, knownFiles, ...options }: QuickOptions,
): Promise<LiveReads> {
  const [nodeObjects, controlPlanePods, machines] = await Promise.all([
    carriedNodes ?? listNodes(ports, options),
    carriedPods ?? listPods(ports, options),
    listMachines(ports, options),
  ]);
  const [nodes, ownAddress] = await Promise.all([
    Promise.all(
      nodeObjects
        .map(nameOf)
        .map(async (name) => [name, await readNode(ports, name, knownFiles, options)] as const),
    ),
    readOwnAddresses(ports, nodeObjects, knownAddresses, options),
  ]);
  const leasesAskedAtMs = clock.nowMs();
  const leases = await listLeases(ports, 'kube-system', options);
  const fence = leases.items.find((lease) => nameOf(lease) === FENCE.name);
  return {
    takenAtMs: clock.nowMs(),
    leasesAskedAtMs,
    serverTimeMs: leases.serverTimeMs,
    leases: leases.items.map(readLease),
    fence: fence === undefined ? null : readFence(fence),
    nodeObjects,
    snapshots: new Map(nodes),
    controlPlanePods,
    pods: controlPlanePods.flatMap(readPod),
    machines,
    ownAddress,
    namedFiles: new Map(
      nodes.flatMap(([name, node]) => (node === null ? [] : [[name, filesNamedBy(node)]])),
    ),
  };
}

/** Of all Nodes those that `listNodes` would return. */
export function controlPlaneOf(nodes: readonly NodeObject[]): readonly NodeObject[] {
  return byName(
    nodes.filter(({ metadata }) => metadata?.labels?.[CONTROL_PLANE_LABEL] !== undefined),
  );
}

function byName(nodes: readonly NodeObject[]): readonly NodeObject[] {
  return [...nodes].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Leases of one namespace; other namespaces are asked for only when a manager's arguments name them. */
export async function listLeases(
  { api }: ClusterPorts,
  namespace: string,
  options: CallOptions,
): Promise<Page<LeaseObject>> {
  return api.list<LeaseObject>(
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace },
    options,
  );
}

/** Leases outside kube-system that configurations name. */
export async function readFurtherLeases(
  ports: ClusterPorts,
  namespaces: readonly string[],
  options: CallOptions,
): Promise<readonly LeaseReading[]> {
  const pages = await Promise.all(
    namespaces.map((namespace) => listLeases(ports, namespace, options)),
  );
  return pages.flatMap(({ items }) => items.map(readLease));
}

async function listNodes(
  ports: ClusterPorts,
  options: CallOptions,
): Promise<readonly NodeObject[]> {
  const page = await ports.api.list<NodeObject>(
    { apiVersion: 'v1', kind: 'Node' },
    { ...options, labelSelector: CONTROL_PLANE_LABEL },
  );
  return byName(page.items);
}

async function listPods(
  { api }: ClusterPorts,
  options: CallOptions,
): Promise<readonly PodObject[]> {
  const page = await api.list<PodObject>(
    { apiVersion: 'v1', kind: 'Pod', namespace: 'kube-system' },
    { ...options, labelSelector: COMPONENT_SELECTOR },
  );
  return page.items;
}

async function listMachines(
  { machines }: ClusterPorts,
  options: CallOptions,
): Promise<readonly MachineReading[] | null> {
  if (machines === null) return null;
  const all = await machines.list(options);
  return all.map(({ name, node, side, state, reason }) => ({ name, node, side, state, reason }));
}

/** Status of a condition; a missing one is unknown, never healthy. */
export function conditionOf(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): Tristate {
  const status = conditions?.find((condition) => condition.type === type)?.status;
  if (status === 'True') return 'yes';
  return status === 'False' ? 'no' : 'unknown';
}

/**
 * Reads everything of one node through its own access; null when the node does not answer. Other failures (throttled,
 * forbidden) are thrown: they prove nothing about the node. One request is enough while its managers name the files that they
 * named before; where they name others, a second one reads what they name now.
 */
async function readNode(
  { processes }: ClusterPorts,
  node: string,
  known: NamedFiles,
  options: CallOptions,
): Promise<NodeSnapshot | null> {
  const before = known.get(node) ?? NOTHING;
  const wanted = {
    files: [...new Set([...FIXED.files, ...before.files])],
    directories: before.directories,
  };
  try {
    const first = await processes.snapshot(node, wanted, options);
    const named = filesNamedBy(first);
    if (isWithin(named, wanted)) return first;
    const { files, directories } = await processes.snapshot(node, named, options);
    // A manifest stays as it was beside the processes, even where a setting names it as a file.
    return { ...first, files: new Map([...files, ...first.files]), directories };
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Unreachable' || type === 'Timeout') return null;
    throw error;
  }
}

const NOTHING: NodeRequest = { files: [], directories: [] };

function isWithin(named: NodeRequest, wanted: NodeRequest): boolean {
  return (
    named.files.every((path) => wanted.files.includes(path)) &&
    named.directories.every((path) => wanted.directories.includes(path))
  );
}

/** Files that are always read. */
const FIXED: NodeRequest = { files: MANAGERS.flatMap(manifestPlaces), directories: [] };

/** The fields we read of a manager's pod; nothing for any other pod. */
// eslint-disable-next-line complexity -- a flat list of defaults for absent fields; one question is decided
export function readPod(pod: PodObject): readonly PodReading[] {
  const component = pod.metadata?.labels?.['component'];
  const manager = MANAGERS.find((one) => COMPONENTS[one] === component);
  const node = pod.spec?.nodeName;
  if (manager === undefined || node === undefined) return [];
  const statuses = pod.status?.containerStatuses ?? [];
  return [
    {
      node,
      manager,
      uid: pod.metadata?.uid ?? '',
      image: pod.spec?.containers?.[0]?.image ?? '',
      restarts: Math.max(0, ...statuses.map(({ restartCount }) => restartCount ?? 0)),
      crashLooping: isCrashLooping(pod),
      fromDaemonSet: (pod.metadata?.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet'),
    },
  ];
}

/**
 * Whether a container of this pod ended and waits to be restarted. A static pod written with content that its kubelet has run
 * before may find that earlier container and wait for its back-off: it also reports CrashLoopBackOff although nothing crashed
 * (docs/truth.md). What ended before the pod object was created belongs to the earlier pod. Where a time is missing, it
 * counts.
 */
function isCrashLooping({ metadata, status }: PodObject): boolean {
  const madeAtMs = Date.parse(metadata?.creationTimestamp ?? '');
  return (status?.containerStatuses ?? []).some(({ state, lastState }) => {
    if (state?.waiting?.reason !== 'CrashLoopBackOff') return false;
    const endedAtMs = Date.parse(lastState?.terminated?.finishedAt ?? '');
    return !(endedAtMs < madeAtMs);
  });
}
