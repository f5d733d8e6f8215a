import type { ClusterFacts } from '../facts/cluster-facts.js';
import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** Removes the migration Lease, then the grant: last, when no process uses them and policy wants them removed. */
export const revokeLeaseAccess: StepRule = {
  name: 'revokeLeaseAccess',
  phase: 'disableLeaderMigration',
  safePoint: 'end',
  suspends: 'nothing',
  propose: (facts) => {
    if (!isUnused(facts)) return NOT_NEEDED;
    if (facts.migrationLease !== undefined) {
      return propose(revokeLeaseAccess, 'no process uses the migration Lease', {
        kind: 'deleteMigrationLease',
      });
    }
    if (facts.observation.access.leaseGrant === 'absent') return NOT_NEEDED;
    return propose(revokeLeaseAccess, 'no process uses the right to the migration Lease', {
      kind: 'setAccess',
      access: 'leaseGrant',
      want: 'absent',
    });
  },
};

function isUnused({ target, policy, kcms, ccms, presentCcms }: ClusterFacts): boolean {
  if ([...kcms, ...ccms].some(({ leaderMigrationOn }) => leaderMigrationOn)) return false;
  return target === 'ccm'
    ? policy.disableLeaderMigration === 'afterSoak'
    : policy.leaderMigrationAfterRollback === 'off' && presentCcms.length === 0;
}
