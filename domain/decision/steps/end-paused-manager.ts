import type { ClusterObservation, ManagerProcess } from '../../observation/observation.js';
import {
  type PlacedProcess,
  findLease,
  holds,
  managerProcesses,
  migrationLockOf,
} from '../../ownership/owners.js';
import type { LeaseRef } from '../../vocabulary.js';
import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/**
 * Under `staleHolder: kill`: ends a manager that a signal has stopped and that holds a lock, or takes part in one that another
 * process holds. When it wakes it acts for its renew deadline on what it held before (10 s, P13), and nothing shows whether a
 * stopped process had held the lock that is another's now; a standby that is ended is only restarted. One whose lock went to
 * another one comes first: it would be a second owner at once. It is no member of `REPAIRS`, which are asked after what hides
 * owners, and a paused process is such a thing.
 */
export const endPausedManager: StepRule = {
  name: 'endPausedManager',
  phase: 'repair',
  propose: ({ observation, policy }) => {
    if (policy.staleHolder !== 'kill') return NOT_NEEDED;
    const endable = pausedManagers(observation).filter(
      (placed) => whyNotEnded(observation, placed) === null,
    );
    const replaced = endable.find(({ process }) => heldByAnother(observation, process) !== null);
    const first = replaced ?? endable[0];
    if (first === undefined) return NOT_NEEDED;
    const { node, manager, process } = first;
    return propose(
      endPausedManager,
      `the ${manager} on ${node.name} (pid ${String(process.pid)}) is stopped by a signal and would act as a second owner when it wakes`,
      { kind: 'endPausedManager', node: node.name, manager },
      ['CCM3008'],
    );
  },
};

/** Managers that a signal has stopped, nodes in order. */
export function pausedManagers(observation: ClusterObservation): readonly PlacedProcess[] {
  return managerProcesses(observation).filter(({ process }) => process.liveness === 'paused');
}

/** Why `staleHolder: kill` leaves a paused manager alone; null where it may be ended. What is unknown is never ended. */
export function whyNotEnded(
  observation: ClusterObservation,
  { node, process }: PlacedProcess,
): string | null {
  if (!node.reachable) return 'its node cannot be reached';
  if (process.startedAtMs === null) return 'its start time is unreadable';
  const sharing = managerProcesses(observation).filter(
    (other) => other.node.name === node.name && other.process.pid === process.pid,
  );
  if (sharing.length > 1) return 'two managers have its process id';
  // Its successor would own at once, whatever owns by then.
  if (!process.config.leaderElect) return 'it runs without leader election';
  return locksOf(process).some((ref) => isHeld(observation, ref))
    ? null
    : 'none of its Leases has a holder';
}

/** A lock of this process that a Lease shows as another one's; null when there is none. */
export function heldByAnother(
  observation: ClusterObservation,
  process: ManagerProcess,
): LeaseRef | null {
  const other = locksOf(process).find(
    (ref) => isHeld(observation, ref) && !holds(observation, process, ref),
  );
  return other ?? null;
}

function locksOf(process: ManagerProcess): readonly LeaseRef[] {
  const migration = migrationLockOf(process);
  return migration === null ? [process.config.mainLock] : [process.config.mainLock, migration];
}

function isHeld(observation: ClusterObservation, ref: LeaseRef): boolean {
  return (findLease(observation, ref)?.holder ?? '') !== '';
}
