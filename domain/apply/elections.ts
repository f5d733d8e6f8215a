import { findLease, holds, migrationLockOf } from '../facts/leases.js';
import { managerProcesses, type PlacedProcess } from '../facts/owners.js';
import type { ClusterObservation, LeaseObservation, ManagerProcess } from '../observation.js';
import { sameLease, type LeaseRef } from '../vocabulary.js';
import { withSlot } from './processes.js';

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
    if (lock === null || !may || !config.triesMigrationLock || !isFree(observation, lock))
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
export function startsTrying(
  { access }: ClusterObservation,
  { config }: ManagerProcess,
): 'waiting' | 'notTried' {
  const tries = config.leaderMigration.kind === 'on' && config.triesMigrationLock;
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
export function settle(observation: ClusterObservation): ClusterObservation {
  let settled = observation;
  for (let [move] = electionMoves(settled); move !== undefined; [move] = electionMoves(settled)) {
    settled = elect(settled, move);
  }
  return settled;
}
