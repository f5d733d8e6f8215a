import { changeManager, holderLast, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/**
 * Leader Migration on every in-tree KCM, the Lease holder last: the locks then move once. Mixed KCMs are
 * safe meanwhile, as the main lock serialises them (P22). KCM to KCM the main Lease is released first and
 * the migration Lease at once, which spares the double wait.
 */
export const enableLeaderMigration: StepRule = {
  name: 'enableLeaderMigration',
  phase: 'enableLeaderMigration',
  safePoint: 'end',
  suspends: 'the KCM of that node; all cloud controllers while the leader hands over',
  propose: ({ inTree }) => {
    const [first] = holderLast(inTree.filter(({ protection }) => protection !== 'protected'));
    if (first === undefined) return NOT_NEEDED;
    return propose(
      enableLeaderMigration,
      `the KCM on ${first.node} must run cloud controllers only under the migration lock`,
      changeManager(
        first.node,
        { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
        'mainThenMigration',
      ),
      ['CCM3002'],
    );
  },
};

/**
 * After a rollback that keeps Leader Migration: a KCM found with another lock or other names is corrected, the Lease holder
 * last. Otherwise the next migration would find an unprotected KCM that looks protected.
 */
export const correctKcmLock: StepRule = {
  ...enableLeaderMigration,
  phase: 'disableLeaderMigration',
  propose: ({ policy, inTree, presentCcms }) => {
    if (policy.leaderMigrationAfterRollback === 'off' || presentCcms.length > 0) return NOT_NEEDED;
    const [first] = holderLast(inTree.filter(({ onWrongLock }) => onWrongLock));
    if (first === undefined) return NOT_NEEDED;
    return propose(
      correctKcmLock,
      `the KCM on ${first.node} used another lock, or other names, than the policy's`,
      changeManager(
        first.node,
        { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
        'mainThenMigration',
      ),
      ['CCM3002'],
    );
  },
};
