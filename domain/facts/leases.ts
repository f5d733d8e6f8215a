import type { ClusterObservation, LeaseObservation, ManagerProcess } from '../observation.js';
import type { LeaseRef } from '../vocabulary.js';
import { sameLease } from '../vocabulary.js';

export function findLease(
  observation: ClusterObservation,
  ref: LeaseRef,
): LeaseObservation | undefined {
  return observation.leases.find((lease) => sameLease(lease, ref));
}

/**
 * Whether this very process holds the Lease: its proven holderIdentity equals the recorded holder.
 * A process keeps one identity for both of its locks (kubernetes/cloud-provider app/controllermanager.go).
 */
export function holds(
  observation: ClusterObservation,
  process: ManagerProcess,
  ref: LeaseRef,
): boolean {
  const lease = findLease(observation, ref);
  return lease !== undefined && process.identity !== null && lease.holder === process.identity;
}

/**
 * Leases whose holder is unknown and not proven silent: a manager on a worker, outside the cluster or on a control plane that
 * we do not see. A removed machine or CCM leaves a silent Lease behind, whose holder runs nothing.
 */
export function heldByStrangers({ leases }: ClusterObservation): readonly LeaseObservation[] {
  return leases.filter(
    ({ holderState, freshness }) => holderState === 'unknown' && freshness.kind !== 'silent',
  );
}

/** For people: which Lease it is and who holds it. */
export function holderWords({ namespace, name, holder }: LeaseObservation): string {
  return `Lease ${namespace}/${name} is held by ${holder}`;
}

/** The migration lock that a process takes part in; null when Leader Migration is off or unreadable. */
export function migrationLockOf(process: ManagerProcess): LeaseRef | null {
  const { leaderMigration } = process.config;
  return leaderMigration.kind === 'on' ? leaderMigration.lock : null;
}
