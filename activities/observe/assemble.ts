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
import type { ClusterRef, LeaseSighting, Look } from '../contract.js';
import type { LeaseReading } from '../lease-reading.js';
import { freshnessOf, sightLeases } from '../lease-reading.js';
import { apiServerVersions, etcdOf, observeKubeadm } from './control-plane.js';
import type { HostedProcess } from './identities.js';
import { DEFAULT_LOCKS, holderStateOf, locksOf, mainLockManager } from './identities.js';
import { runningProvider } from './kubelet-flags.js';
import type { PodObject } from './objects.js';
import { isEtcdExternal } from './read-slow-parts.js';
import type { QuickReading } from './readings.js';
import { sharedAddressOf } from './shared-address.js';
import type { HostedNode, SlotSurroundings } from './slots.js';
import { hostedNode, slotOf } from './slots.js';
import type { SlowParts } from './slow-parts.js';

/** All readings of one observation, with what earlier observations left. */
export interface Readings {
  readonly cluster: ClusterRef;
  readonly policy: MigrationPolicy;
  readonly quick: QuickReading;
  readonly controlPlanePods: readonly PodObject[];
  readonly slow: SlowParts;
  readonly sightings: readonly LeaseSighting[];
}

/** Readings → observation: pure, so that table tests can cover every odd state. */
export function assembleLook(readings: Readings): Look {
  const { cluster, policy, quick, slow, controlPlanePods } = readings;
  const { pods } = quick;
  const surroundings = { policy, pods, workload: slow.workload };
  const hosted = quick.nodes.map((node) => hostedNode(node, surroundings));
  const everyone = hosted.flatMap(({ processes }) => processes);
  const around: SlotSurroundings = { ...surroundings, everyone, leases: quick.leases };
  const nodes = hosted.map((node) => nodeOf(node, around));
  const wanted = quick.leases.filter((lease) => isNamed(lease, nodes, readings));
  const sightings = sightLeases(wanted, readings.sightings, quick.takenAtMs);
  const observation: ClusterObservation = {
    cluster: { uid: cluster.uid, name: cluster.name },
    observedAtMs: quick.takenAtMs,
    apiServers: {
      versions: apiServerVersions(controlPlanePods, quick.nodes.length, slow.serverVersion),
      sharedAddress: sharedAddressOf(slow.ownAddress),
    },
    nodes,
    machinesOrdered: orderedMachines(quick),
    etcd: etcdOf(controlPlanePods, {
      machines: quick.machines,
      external: isEtcdExternal(slow.kubeadm),
      nodes: quick.nodes.map(({ name }) => name),
    }),
    leases: wanted
      .map((lease) => leaseOf(lease, nodes, everyone, { ...readings, sightings }))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    access: slow.access,
    ccmWorkload: slow.workload.observation,
    baseline: slow.baseline,
    kubeadm: observeKubeadm(slow.kubeadm, quick.nodes),
    inventory: slow.inventory,
  };
  return { observation, sightings };
}

function nodeOf(hosted: HostedNode, around: SlotSurroundings): ControlPlaneNode {
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
  { policy, slow }: Pick<Readings, 'policy' | 'slow'>,
): readonly LeaseRef[] {
  const { template } = slow.workload.observation;
  const configs = [
    ...configsOf(nodes),
    ...(slow.baseline === null ? [] : [slow.baseline.kcm]),
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
  { quick, sightings }: Readings,
): LeaseObservation {
  const freshness = freshnessOf(lease, sightings, quick.takenAtMs);
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
      machines: quick.machines,
      processes: everyone,
      identities,
    }),
  };
}

/** Machines that are not yet, or no longer, in service; a Node may already, or still, exist for one. */
function orderedMachines({ machines }: QuickReading): readonly OrderedMachine[] {
  return (machines ?? []).flatMap(({ name, side, state, reason }) =>
    state === 'ready' ? [] : [{ name, side, state, reason }],
  );
}

function keyOf({ namespace, name }: LeaseRef): string {
  return `${namespace}/${name}`;
}
