import { runningProcesses } from '../../domain/facts/owners.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager } from '../../domain/vocabulary.js';
import type { LeaseReading } from '../observe/lease-reading.js';
import type { EffectReport, StepSession } from './step-session.js';

/**
 * Notes that a step ended a process that ran migrated controllers. `nodeMs` is the host's clock when it was proven
 * gone, which Lease times can be compared with; without an answer from the host, our clock is used.
 */
export function lossOf(
  { before, input: { policy }, clock }: StepSession,
  node: string,
  managers: readonly Manager[],
  nodeMs: number | null,
): EffectReport {
  const owned = ownersOf(before, policy).some(
    (owner) => owner.node.name === node && managers.includes(owner.manager),
  );
  const ourMs = clock.nowMs();
  return { lost: owned ? { nodeMs: nodeMs ?? ourMs, ourMs } : null };
}

/** Time without an owner at the end of the step, as far as its last observation shows, in ms. */
export function orphanMsOf(
  { lost }: EffectReport,
  after: ClusterObservation,
  leases: readonly LeaseReading[],
  policy: MigrationPolicy,
): number {
  if (lost === null) return 0;
  const holders = new Set(ownersOf(after, policy).map(({ process }) => process.identity));
  const taken = leases
    .filter(({ holder }) => holder !== '' && holders.has(holder))
    .flatMap(({ acquiredAtMs }) => acquiredAtMs ?? []);
  const ms =
    taken.length === 0 ? after.observedAtMs - lost.ourMs : Math.max(...taken) - lost.nodeMs;
  return Math.max(0, ms);
}

function ownersOf(
  observation: ClusterObservation,
  { lock }: MigrationPolicy,
): NonNullable<ReturnType<typeof runningProcesses>> {
  return lock.controllers.flatMap((controller) => runningProcesses(observation, controller) ?? []);
}
