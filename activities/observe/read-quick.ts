import type { Tristate } from '../../domain/vocabulary.js';
import type { ActivityClock } from '../dependencies.js';
import type { FenceRecord } from '../fence/fence-record.js';
import { FENCE, readFence } from '../fence/fence-record.js';
import type { CallOptions, ClusterPorts, Page } from '../ports.js';
import type { LeaseObject } from './lease-reading.js';
import { readLease, type LeaseReading } from './lease-reading.js';
import type { NodeObject, PodObject } from './objects.js';
import { CONTROL_PLANE_LABEL, nameOf } from './objects.js';
import { readPod } from './read-pod.js';
import { readNodeAccess } from './read-node.js';
import type { OwnAddresses } from './shared-address.js';
import { readOwnAddresses } from './shared-address.js';
import type { MachineReading, NodeReading, QuickReading } from './readings.js';

/** Pods of the control plane, by one request. */
const COMPONENT_SELECTOR =
  'component in (kube-controller-manager,cloud-controller-manager,kube-apiserver,etcd)';

/** The live reads of an observation, together with the pods of API servers and etcd from the same request. */
export interface QuickAnswer {
  readonly quick: QuickReading;
  readonly controlPlanePods: readonly PodObject[];
  /** The fence, from the same list of Leases; null when there is none. */
  readonly fence: FenceRecord | null;
  readonly ownAddress: OwnAddresses;
  /** Control-plane Nodes as returned by the API. */
  readonly nodeObjects: readonly NodeObject[];
}

export interface QuickOptions extends CallOptions {
  /** Pods of an earlier observation instead of a new list. */
  readonly carriedPods?: readonly PodObject[] | undefined;
  /** Nodes of an earlier observation of the same step; their hosts are always re-read. */
  readonly carriedNodes?: readonly NodeObject[] | undefined;
  readonly knownAddresses: OwnAddresses;
}

/**
 * One observation: three API requests (Leases of kube-system, control-plane Nodes, control-plane Pods) and, in parallel,
 * the host, metrics and files of each node. Leases are read last, so that their holders were observed before.
 */
export async function readQuick(
  ports: ClusterPorts,
  clock: ActivityClock,
  { carriedPods, carriedNodes, knownAddresses, ...options }: QuickOptions,
): Promise<QuickAnswer> {
  const [nodeObjects, pods, machines] = await Promise.all([
    carriedNodes ?? listNodes(ports, options),
    carriedPods ?? listPods(ports, options),
    listMachines(ports, options),
  ]);
  const [nodes, ownAddress] = await Promise.all([
    Promise.all(nodeObjects.map((node) => readNode(ports, node, options))),
    readOwnAddresses(ports, nodeObjects, knownAddresses, options),
  ]);
  const leases = await listLeases(ports, 'kube-system', options);
  const fence = leases.items.find((lease) => nameOf(lease) === FENCE.name);
  return {
    quick: {
      takenAtMs: clock.nowMs(),
      serverTimeMs: leases.serverTimeMs,
      leases: leases.items.map(readLease),
      nodes,
      pods: pods.flatMap(readPod),
      machines,
    },
    controlPlanePods: pods,
    fence: fence === undefined ? null : readFence(fence),
    ownAddress,
    nodeObjects,
  };
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
  return [...page.items].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

async function readNode(
  ports: ClusterPorts,
  node: NodeObject,
  options: CallOptions,
): Promise<NodeReading> {
  return {
    name: nameOf(node),
    kubeletVersion: (node.status?.nodeInfo?.kubeletVersion ?? '').replace(/^v/, ''),
    ready: conditionOf(node.status?.conditions, 'Ready'),
    cordoned: node.spec?.unschedulable === true,
    providerId: node.spec?.providerID ?? null,
    labels: node.metadata?.labels ?? {},
    access: await readNodeAccess(ports, nameOf(node), options),
  };
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
