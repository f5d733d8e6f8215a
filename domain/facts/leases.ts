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

/** The migration lock that a process takes part in; null when Leader Migration is off or unreadable. */
export function migrationLockOf(process: ManagerProcess): LeaseRef | null {
  const { leaderMigration } = process.config;
  return leaderMigration.kind === 'on' ? leaderMigration.lock : null;
}
