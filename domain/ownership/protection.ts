import type {
  ClusterObservation,
  LeaderMigration,
  ManagerConfig,
} from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import { CLOUD_CONTROLLERS, sameLease } from '../vocabulary.js';
import { findLease, holds } from './owners.js';
import type { PlacedProcess } from './owners.js';

/** `protected`: shares the migration lock of the policy, with exactly its set of controllers. */
export type Protection = 'protected' | 'unprotected' | 'unknown';

/**
 * Whether a manager that runs with these settings can never run a migrated controller without holding
 * the one migration lock. Names, namespace and the canonical set must be equal on both sides: a name listed
 * on one side only runs under the main lock of the other without mutual exclusion (P1, P2).
 */
export function protectionOf(config: ManagerConfig, policy: MigrationPolicy): Protection {
  const { leaderMigration } = config;
  if (leaderMigration.kind === 'unreadable') return 'unknown';
  if (leaderMigration.kind === 'off' || !config.leaderElect) return 'unprotected';
  const shares = config.contendsForMigrationLock && sharesLockAndNames(leaderMigration, policy);
  return shares ? 'protected' : 'unprotected';
}

/**
 * Leader Migration is on with another lock or other names than the policy's: it protects nothing, and the next migration
 * would mistake it for the real one.
 */
export function isOnWrongLock(
  { leaderMigration }: ManagerConfig,
  policy: MigrationPolicy,
): boolean {
  return leaderMigration.kind === 'on' && !sharesLockAndNames(leaderMigration, policy);
}

function sharesLockAndNames(
  { lock, dispositions }: Extract<LeaderMigration, { kind: 'on' }>,
  policy: MigrationPolicy,
): boolean {
  if (!sameLease(lock, policy.lock)) return false;
  return CLOUD_CONTROLLERS.every(
    (controller) =>
      dispositions[controller] ===
      (policy.lock.controllers.includes(controller) ? 'migrated' : 'nonMigrated'),
  );
}

/**
 * Whether a main leader would take the migration lock as soon as it is free: it renews its main Lease, tries the migration
 * lock, and its identity may use it. Without metrics the lock role is unknown and this is `false`: a forbidden candidate
 * looks the same (P18).
 */
export function standsBy(
  observation: ClusterObservation,
  { manager, process }: PlacedProcess,
  policy: MigrationPolicy,
): boolean {
  const main = findLease(observation, process.config.mainLock);
  return (
    process.liveness === 'running' &&
    protectionOf(process.config, policy) === 'protected' &&
    main?.freshness.kind === 'advancing' &&
    holds(observation, process, process.config.mainLock) &&
    (process.locks.migration === 'waiting' || process.locks.migration === 'held') &&
    observation.access.mayUseMigrationLease[manager] === 'yes'
  );
}
