import { proposeCcmChange } from './foreign-ccm.js';
import { NOT_NEEDED, type StepRule, changeManager, holderLast, propose } from './step-rule.js';

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

const shell = {
  name: 'disableLeaderMigration',
  phase: 'disableLeaderMigration',
  safePoint: 'end',
  suspends: 'the manager of that node; the cloud controllers while the leader hands over',
} as const;

/** CCMs one by one, holder last, and only when no in-tree KCM can return. */
export const disableOnCcm: StepRule = {
  ...shell,
  propose: (facts) => {
    const { policy, presentCcms, inTree } = facts;
    if (policy.disableLeaderMigration === 'never' || inTree.length > 0) return NOT_NEEDED;
    const [next] = holderLast(presentCcms.filter(({ leaderMigrationOn }) => leaderMigrationOn));
    if (next === undefined) return NOT_NEEDED;
    return proposeCcmChange(
      facts,
      shell,
      `the CCM on ${next.node} no longer needs the migration lock`,
      {
        node: next.node,
        want: { manager: 'ccm', role: 'running', leaderMigration: 'off' },
        release: 'mainThenMigration',
      },
    );
  },
};

/** After a rollback, where policy asks for the original settings: KCMs one by one, holder last. */
export const disableOnKcm: StepRule = {
  ...shell,
  propose: ({ policy, presentCcms, inTree }) => {
    if (policy.leaderMigrationAfterRollback === 'keep' || presentCcms.length > 0) return NOT_NEEDED;
    const [next] = holderLast(inTree.filter(({ leaderMigrationOn }) => leaderMigrationOn));
    if (next === undefined) return NOT_NEEDED;
    return propose(
      shell,
      `the KCM on ${next.node} returns to its original settings`,
      changeManager(
        next.node,
        { manager: 'kcm', role: 'inTree', leaderMigration: 'off' },
        'mainThenMigration',
      ),
      ['CCM3002'],
    );
  },
};
