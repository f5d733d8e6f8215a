import type { ClusterFacts } from '../facts/cluster-facts.js';
import { sharesLock } from '../strategies/shares-lock.js';
import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/**
 * A Role and RoleBinding of our own for the migration Lease. Without it a manager keeps its main lock, runs no cloud
 * controller and still reports healthy (P5, P19), so it comes before any manager is configured to use it.
 */
export const grantLeaseAccess: StepRule = {
  name: 'grantLeaseAccess',
  phase: 'grantLeaseAccess',
  safePoint: 'end',
  suspends: 'nothing',
  propose: (facts) => {
    if (!needsGrant(facts) || isGranted(facts)) return NOT_NEEDED;
    return propose(
      grantLeaseAccess,
      'KCM and CCM need access to the migration Lease before they are configured to use it',
      { kind: 'setAccess', access: 'leaseGrant', want: 'present' },
      ['CCM3002'],
    );
  },
};

function needsGrant({ target, policy, kcms, ccms, inTree, presentCcms }: ClusterFacts): boolean {
  if ([...kcms, ...ccms].some(({ leaderMigrationOn }) => leaderMigrationOn)) return true;
  if (!sharesLock(policy.strategy)) return false;
  if (target === 'kcm') return presentCcms.length > 0;
  return inTree.length > 0 || policy.disableLeaderMigration === 'never';
}

function isGranted({ observation: { access } }: ClusterFacts): boolean {
  return (
    access.leaseGrant === 'present' &&
    access.mayUseMigrationLease.kcm === 'yes' &&
    access.mayUseMigrationLease.ccm === 'yes'
  );
}
