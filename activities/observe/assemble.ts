import type {
  ClusterObservation,
  ControlPlaneNode,
  LeaseObservation,
  ManagerConfig,
  OrderedMachine,
} from '../../domain/observation/observation.js';
import { sideOf } from '../../domain/ownership/owners.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { LeaseRef } from '../../domain/vocabulary.js';
import { sameLease } from '../../domain/vocabulary.js';
import type { ClusterRef, Snapshot } from '../contract.js';
import type { LeaseReading } from '../lease-reading.js';
import { freshnessOf, recordFirstSeen } from '../lease-reading.js';
import { apiServerVersions, etcdOf, observeKubeadm } from './control-plane.js';
import type { HostedProcess } from './identities.js';
import { DEFAULT_LOCKS, holderStateOf, locksOf, mainLockManager } from './identities.js';
import { runningProvider } from './kubelet-flags.js';
import { nameOf } from './objects.js';
import { isEtcdExternal } from './read-cached.js';
import { conditionOf } from './read-live.js';
import type { LiveReads } from './readings.js';
import { sharedAddressOf } from './shared-address.js';
import type { HostedNode, SlotContext } from './slots.js';
import { hostedNode, slotOf } from './slots.js';
import { unlistedNodes } from './unlisted-nodes.js';
import type { CachedReads } from './cached-reads.js';
import type { LeaseFirstSeen } from '../../domain/run/results.js';

/** Whose observation it is, and what earlier ones left. */
interface Observed {
  readonly cluster: ClusterRef;
  readonly policy: MigrationPolicy;
  readonly firstSeen: readonly LeaseFirstSeen[];
}

/** Reads → observation: pure, so that table tests can cover every odd state. */
export function assembleSnapshot(
  { cluster, policy, firstSeen: seenBefore }: Observed,
  cached: CachedReads,
  live: LiveReads,
): Snapshot {
  const { nodeObjects, snapshots, controlPlanePods } = live;
  const context = { policy, live, workload: cached.workload };
  const hosted = [...nodeObjects, ...unlistedNodes(live)].map((node) => hostedNode(node, context));
  const everyone = hosted.flatMap(({ processes }) => processes);
  const around: SlotContext = { ...context, everyone };
  const nodes = hosted.map((node) => nodeOf(node, around));
  const named = namedLeases(nodes, policy, cached);
  const wanted = live.leases.filter((lease) => named.some((ref) => sameLease(ref, lease)));
  const firstSeen = recordFirstSeen(wanted, seenBefore, live.takenAtMs);
  const observation: ClusterObservation = {
    cluster: { uid: cluster.uid, name: cluster.name },
    observedAtMs: live.takenAtMs,
    apiServers: {
      versions: apiServerVersions(controlPlanePods, nodes.length, cached.serverVersion),
      sharedAddress: sharedAddressOf(cached.ownAddress),
    },
    nodes,
    machinesOrdered: orderedMachines(live),
    ...takenNames(live, nodes),
    etcd: etcdOf(controlPlanePods, {
      machines: live.machines,
      external: isEtcdExternal(cached.kubeadm),
      nodes: nodes.map(({ name }) => name),
    }),
    leases: wanted
      .map((lease) => leaseOf(lease, nodes, everyone, { live, firstSeen }))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    access: cached.access,
    ccmWorkload: cached.workload.observation,
    baseline: cached.baseline,
    kubeadm: observeKubeadm(cached.kubeadm, [...snapshots.values()]),
    inventory: cached.inventory,
  };
  return { observation, firstSeen };
}

// eslint-disable-next-line complexity -- a flat list of defaults for absent fields; nothing is decided here
function nodeOf(hosted: HostedNode, around: SlotContext): ControlPlaneNode {
  const { spec, status } = hosted.node;
  const host = hosted.sources?.snapshot.host;
  const kcm = slotOf(hosted, 'kcm', around);
  const ccm = slotOf(hosted, 'ccm', around);
  return {
    name: nameOf(hosted.node),
    hostname: host?.hostname ?? null,
    side: sideOf(kcm, ccm),
    kubeletVersion: (status?.nodeInfo?.kubeletVersion ?? '').replace(/^v/, ''),
    kubeletCloudProvider: runningProvider(host?.kubelets ?? []),
    ready: conditionOf(status?.conditions, 'Ready'),
    cordoned: spec?.unschedulable === true,
    providerId: spec?.providerID ?? null,
    reachable: host !== undefined,
    kcm,
    ccm,
  };
}

/**
 * Every Lease that a configuration names: of processes, of manifests that could start, and of the policy; and always both
 * default main Leases: a manager on a worker or outside the cluster has a configuration that we never see.
 */
export function namedLeases(
  nodes: readonly ControlPlaneNode[],
  policy: MigrationPolicy,
  cached: CachedReads,
): readonly LeaseRef[] {
  const { template } = cached.workload.observation;
  const configs = [
    ...configsOf(nodes),
    ...(cached.baseline === null ? [] : [cached.baseline.kcm]),
    ...(template === null ? [] : [template]),
  ];
  return [...configs.flatMap(locksOf), ...DEFAULT_LOCKS, policy.lock];
}

function configsOf(nodes: readonly ControlPlaneNode[]): readonly ManagerConfig[] {
  return nodes.flatMap(({ kcm, ccm }) =>
    [kcm, ccm].flatMap(({ manifest, processes }) => [
      ...processes.map(({ config }) => config),
      ...(manifest.state === 'present' || manifest.state === 'parked' ? [manifest.config] : []),
      ...(manifest.state === 'interrupted' ? [manifest.successor] : []),
    ]),
  );
}

function leaseOf(
  lease: LeaseReading,
  nodes: readonly ControlPlaneNode[],
  everyone: readonly HostedProcess[],
  { live, firstSeen }: { readonly live: LiveReads } & Pick<Snapshot, 'firstSeen'>,
): LeaseObservation {
  const freshness = freshnessOf(lease, firstSeen, live.takenAtMs);
  const identities = new Set(
    nodes.flatMap(({ kcm, ccm }) =>
      [...kcm.processes, ...ccm.processes].flatMap(({ identity }) => identity ?? []),
    ),
  );
  return {
    namespace: lease.namespace,
    name: lease.name,
    holder: lease.holder,
    resourceVersion: lease.resourceVersion,
    leaseDurationSeconds: lease.leaseDurationSeconds,
    transitions: lease.transitions,
    freshness,
    holderState: holderStateOf(lease, freshness, mainLockManager(lease, configsOf(nodes)), {
      hosts: nodes.map(({ name, hostname }) => ({ node: name, hostname })),
      machines: live.machines,
      processes: everyone,
      identities,
    }),
  };
}

/** Machines that are not yet, or no longer, in service; a Node may already, or still, exist for one. */
function orderedMachines({ machines }: LiveReads): readonly OrderedMachine[] {
  return (machines ?? []).flatMap(({ name, side, state, reason }) =>
    state === 'ready' ? [] : [{ name, side, state, reason }],
  );
}

function takenNames(
  { machines }: LiveReads,
  nodes: readonly ControlPlaneNode[],
): Pick<ClusterObservation, 'takenNames'> {
  const names = (machines ?? [])
    .filter(({ name, state }) => state === 'ready' && nodes.every((node) => node.name !== name))
    .map(({ name }) => name);
  return names.length === 0 ? {} : { takenNames: names.sort() };
}

function keyOf({ namespace, name }: LeaseRef): string {
  return `${namespace}/${name}`;
}
