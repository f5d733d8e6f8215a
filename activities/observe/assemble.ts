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
import type { PodObject } from './objects.js';
import { isEtcdExternal } from './read-cached.js';
import type { LiveReads } from './readings.js';
import { sharedAddressOf } from './shared-address.js';
import type { HostedNode, SlotContext } from './slots.js';
import { hostedNode, slotOf } from './slots.js';
import type { CachedReads } from './cached-reads.js';
import type { LeaseFirstSeen } from '../../domain/run/results.js';

/** All readings of one observation, with what earlier observations left. */
export interface Readings {
  readonly cluster: ClusterRef;
  readonly policy: MigrationPolicy;
  readonly live: LiveReads;
  readonly controlPlanePods: readonly PodObject[];
  readonly cached: CachedReads;
  readonly firstSeen: readonly LeaseFirstSeen[];
}

/** Readings → observation: pure, so that table tests can cover every odd state. */
export function assembleSnapshot(readings: Readings): Snapshot {
  const { cluster, policy, live, cached, controlPlanePods } = readings;
  const { pods } = live;
  const context = { policy, pods, workload: cached.workload };
  const hosted = live.nodes.map((node) => hostedNode(node, context));
  const everyone = hosted.flatMap(({ processes }) => processes);
  const around: SlotContext = { ...context, everyone, leases: live.leases };
  const nodes = hosted.map((node) => nodeOf(node, around));
  const wanted = live.leases.filter((lease) => isNamed(lease, nodes, readings));
  const firstSeen = recordFirstSeen(wanted, readings.firstSeen, live.takenAtMs);
  const observation: ClusterObservation = {
    cluster: { uid: cluster.uid, name: cluster.name },
    observedAtMs: live.takenAtMs,
    apiServers: {
      versions: apiServerVersions(controlPlanePods, live.nodes.length, cached.serverVersion),
      sharedAddress: sharedAddressOf(cached.ownAddress),
    },
    nodes,
    machinesOrdered: orderedMachines(live),
    etcd: etcdOf(controlPlanePods, {
      machines: live.machines,
      external: isEtcdExternal(cached.kubeadm),
      nodes: live.nodes.map(({ name }) => name),
    }),
    leases: wanted
      .map((lease) => leaseOf(lease, nodes, everyone, { ...readings, firstSeen }))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    access: cached.access,
    ccmWorkload: cached.workload.observation,
    baseline: cached.baseline,
    kubeadm: observeKubeadm(cached.kubeadm, live.nodes),
    inventory: cached.inventory,
  };
  return { observation, firstSeen };
}

function nodeOf(hosted: HostedNode, around: SlotContext): ControlPlaneNode {
  const { reading } = hosted;
  const kcm = slotOf(hosted, 'kcm', around);
  const ccm = slotOf(hosted, 'ccm', around);
  return {
    name: reading.name,
    hostname: reading.access?.host.hostname ?? null,
    side: sideOf(kcm, ccm),
    kubeletVersion: reading.kubeletVersion,
    kubeletCloudProvider: runningProvider(reading.access?.host.kubelets ?? []),
    ready: reading.ready,
    cordoned: reading.cordoned,
    providerId: reading.providerId,
    reachable: reading.access !== null,
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
  { policy, cached }: Pick<Readings, 'policy' | 'cached'>,
): readonly LeaseRef[] {
  const { template } = cached.workload.observation;
  const configs = [
    ...configsOf(nodes),
    ...(cached.baseline === null ? [] : [cached.baseline.kcm]),
    ...(template === null ? [] : [template]),
  ];
  return [...configs.flatMap(locksOf), ...DEFAULT_LOCKS, policy.lock];
}

function isNamed(
  lease: LeaseReading,
  nodes: readonly ControlPlaneNode[],
  readings: Readings,
): boolean {
  return namedLeases(nodes, readings).some((named) => sameLease(named, lease));
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
  { live, firstSeen }: Readings,
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

function keyOf({ namespace, name }: LeaseRef): string {
  return `${namespace}/${name}`;
}
