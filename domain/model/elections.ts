import type {
  ClusterObservation,
  LeaseObservation,
  ManagerProcess,
  ManagerSlot,
} from '../observation/observation.js';
import {
  type PlacedProcess,
  findLease,
  holds,
  managerProcesses,
  migrationLockOf,
} from '../ownership/owners.js';
import { type LeaseRef, MANAGERS, type Manager, sameLease } from '../vocabulary.js';
import { endProcesses, startedProcess, withSlot } from './processes.js';

/** One process that may take one free Lease now. */
export interface ElectionMove {
  readonly placed: PlacedProcess;
  readonly lease: LeaseRef;
  readonly lock: 'main' | 'migration';
}

/**
 * Every move the electors could make: a main lock by any candidate, the migration lock only by the process
 * that leads its main lock and may use the Lease (kubernetes/cloud-provider app/controllermanager.go).
 */
export function electionMoves(observation: ClusterObservation): readonly ElectionMove[] {
  return managerProcesses(observation).flatMap((placed): readonly ElectionMove[] => {
    const { config, liveness } = placed.process;
    if (liveness !== 'running' || !config.leaderElect) return [];
    if (!holds(observation, placed.process, config.mainLock)) {
      const free = isFree(observation, config.mainLock);
      return free ? [{ placed, lease: config.mainLock, lock: 'main' }] : [];
    }
    const lock = migrationLockOf(placed.process);
    const may = observation.access.mayUseMigrationLease[placed.manager] === 'yes';
    if (lock === null || !may || !config.contendsForMigrationLock || !isFree(observation, lock))
      return [];
    return [{ placed, lease: lock, lock: 'migration' }];
  });
}

/** Free: never created, released, or held by a process that is proven dead (it expires). */
function isFree(observation: ClusterObservation, ref: LeaseRef): boolean {
  const lease = findLease(observation, ref);
  return lease === undefined || lease.holderState === 'none' || lease.holderState === 'dead';
}

/** The state after one elector took one Lease. */
export function elect(observation: ClusterObservation, move: ElectionMove): ClusterObservation {
  const { placed, lease, lock } = move;
  const { node, manager, process } = placed;
  const identity = process.identity ?? `${node.hostname ?? node.name}_${String(process.pid)}`;
  const holder: ManagerProcess = {
    ...process,
    identity,
    locks:
      lock === 'main'
        ? { main: 'held', migration: startsTrying(observation, process) }
        : { ...process.locks, migration: 'held' },
  };
  const moved = withSlot(observation, node.name, manager, (slot) => ({
    ...slot,
    processes: slot.processes.map((other) => (other.pid === process.pid ? holder : other)),
  }));
  return { ...moved, leases: withHolder(moved.leases, lease, identity) };
}

/** A new main leader tries the migration lock at once, or never where its access forbids it. */
function startsTrying(
  { access }: ClusterObservation,
  { config }: ManagerProcess,
): 'waiting' | 'notTried' {
  const tries = config.leaderMigration.kind === 'on' && config.contendsForMigrationLock;
  return tries && access.mayUseMigrationLease[config.manager] !== 'unknown'
    ? 'waiting'
    : 'notTried';
}

function withHolder(
  leases: readonly LeaseObservation[],
  ref: LeaseRef,
  holder: string,
): readonly LeaseObservation[] {
  const known = leases.find((lease) => sameLease(lease, ref));
  const taken: LeaseObservation = {
    namespace: ref.namespace,
    name: ref.name,
    holder,
    resourceVersion: '',
    leaseDurationSeconds: known?.leaseDurationSeconds ?? 15,
    transitions: (known?.transitions ?? -1) + 1,
    freshness: { kind: 'advancing' },
    holderState: 'alive',
  };
  return [...leases.filter((lease) => !sameLease(lease, ref)), taken].sort((a, b) =>
    `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1,
  );
}

/** Runs elections until no process can take a Lease: the first candidate by name wins, for previews. */
export function settleElections(observation: ClusterObservation): ClusterObservation {
  let settled = observation;
  for (let [move] = electionMoves(settled); move !== undefined; [move] = electionMoves(settled)) {
    settled = elect(settled, move);
  }
  return settled;
}

/**
 * What happens without any action: each kubelet starts what its manifest folder holds and stops what was removed from it, and
 * the leader of each main lock starts to try the migration lock.
 */
export function afterAWhile(observation: ClusterObservation): ClusterObservation {
  const places = observation.nodes.flatMap(({ name }) =>
    MANAGERS.map((manager) => ({ name, manager })),
  );
  return places.reduce(
    (current, { name, manager }) =>
      withSlot(withoutTakenAway(current, name, manager), name, manager, (slot) =>
        slotAfterAWhile(current, slot),
      ),
    observation,
  );
}

function withoutTakenAway(
  observation: ClusterObservation,
  name: string,
  manager: Manager,
): ClusterObservation {
  const taken = observation.nodes.some((node) => {
    const { state } = node[manager].manifest;
    return node.name === name && (state === 'parked' || state === 'interrupted');
  });
  return taken ? endProcesses(observation, name, manager) : observation;
}

function slotAfterAWhile(observation: ClusterObservation, slot: ManagerSlot): ManagerSlot {
  if (slot.processes.length > 0) {
    return { ...slot, processes: slot.processes.map((process) => trying(observation, process)) };
  }
  return slot.manifest.state === 'present'
    ? { ...slot, processes: [startedProcess(observation, slot.manifest.config)] }
    : slot;
}

function trying(observation: ClusterObservation, process: ManagerProcess): ManagerProcess {
  const { liveness, locks } = process;
  return liveness === 'running' && locks.main === 'held' && locks.migration === 'notTried'
    ? { ...process, locks: { ...locks, migration: startsTrying(observation, process) } }
    : process;
}
