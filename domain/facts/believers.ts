import type { ClusterObservation, LockRole, ManagerProcess } from '../observation.js';
import type { CloudController, LeaseRef } from '../vocabulary.js';
import { findLease, holds, migrationLockOf } from './leases.js';
import { managerProcesses, mayRun, type PlacedProcess } from './owners.js';

/**
 * Processes that run a controller as somebody else owns it: by their own metrics they hold every lock that decides it,
 * and by its Lease another process that is there holds one of them. That is a holder that was paused and woke: it acts
 * until its renew deadline is over (10 s, P13). A look is no single moment, so one look alone proves nothing: a lock
 * that changes hands between its two readings looks alike.
 */
export function believersOf(
  observation: ClusterObservation,
  controller: CloudController,
): readonly PlacedProcess[] {
  const all = managerProcesses(observation);
  return all.filter(({ process }) => {
    if (process.liveness === 'paused' || !mayRun(process.config, controller)) return false;
    const locks = locksFor(process, controller);
    if (locks.some(({ role }) => role !== 'held')) return false;
    return locks.some(({ ref }) => isAnothers(observation, all, process, ref));
  });
}

interface Lock {
  readonly ref: LeaseRef;
  readonly role: LockRole;
}

/** The locks that decide whether this process runs the controller; none where no lock does, or nobody can tell. */
function locksFor(process: ManagerProcess, controller: CloudController): readonly Lock[] {
  const { config, locks } = process;
  if (!config.leaderElect || config.leaderMigration.kind === 'unreadable') return [];
  const main = { ref: config.mainLock, role: locks.main };
  if (config.leaderMigration.kind === 'off') return [main];
  const disposition = config.leaderMigration.dispositions[controller];
  if (disposition === 'unowned') return [];
  const ref = migrationLockOf(process);
  return disposition === 'nonMigrated' || ref === null
    ? [main]
    : [main, { ref, role: locks.migration }];
}

function isAnothers(
  observation: ClusterObservation,
  all: readonly PlacedProcess[],
  process: ManagerProcess,
  ref: LeaseRef,
): boolean {
  if (findLease(observation, ref) === undefined || holds(observation, process, ref)) return false;
  return all.some((other) => other.process !== process && holds(observation, other.process, ref));
}
