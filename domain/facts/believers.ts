import type { ClusterObservation, LockRole, ManagerProcess } from '../observation.js';
import type { CloudController, LeaseRef } from '../vocabulary.js';
import { findLease, holds, migrationLockOf } from './leases.js';
import { managerProcesses, mayRun, type PlacedProcess } from './owners.js';

/**
 * Stale owners: processes that still run a controller although another process owns it. Their own metrics show every lock
 * that decides it as held, while a Lease names another live process as the holder of one. This is a holder that was paused
 * and woke up: it acts until its renew deadline is over (10 s, P13). An observation is not a single moment, so one alone
 * proves nothing: a lock that changes hands between its two reads looks the same.
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

/** The locks that decide whether this process runs the controller; none where no lock does, or where it is unknown. */
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
