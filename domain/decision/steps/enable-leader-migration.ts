import { proposeCcmChange } from './foreign-ccm.js';
import {
  NOT_NEEDED,
  type StepRule,
  blockedBy,
  holderLast,
  downgradeFindings,
  inTreeFindings,
  proposeChange,
} from './step-rule.js';

/**
 * Leader Migration on every in-tree KCM, the Lease holder last: the locks then move once. Mixed KCMs are
 * safe meanwhile, as the main lock serialises them (P22). KCM to KCM the main Lease is released first and
 * the migration Lease at once, which spares the double wait.
 */
export const enableLeaderMigration: StepRule = {
  name: 'enableLeaderMigration',
  phase: 'enableLeaderMigration',
  propose: (facts) => {
    const { inTree } = facts;
    const [first] = holderLast(inTree.filter(({ protection }) => protection !== 'protected'));
    if (first === undefined) return NOT_NEEDED;
    const change = proposeChange(enableLeaderMigration, {
      node: first.node,
      why: `the KCM on ${first.node} must run cloud controllers only under the migration lock`,
      want: { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
      release: 'mainThenMigration',
    });
    return blockedBy(inTreeFindings(facts, first)) ?? change;
  },
};

/**
 * After a rollback that keeps Leader Migration: a KCM found with another lock or other names is corrected, the Lease holder
 * last. Otherwise the next migration would find an unprotected KCM that looks protected.
 */
export const correctKcmLock: StepRule = {
  ...enableLeaderMigration,
  phase: 'disableLeaderMigration',
  propose: (facts) => {
    const { policy, inTree, presentCcms } = facts;
    if (policy.leaderMigrationAfterRollback === 'off' || presentCcms.length > 0) return NOT_NEEDED;
    const [first] = holderLast(inTree.filter(({ onWrongLock }) => onWrongLock));
    if (first === undefined) return NOT_NEEDED;
    const change = proposeChange(correctKcmLock, {
      node: first.node,
      why: `the KCM on ${first.node} used another lock, or other names, than the policy's`,
      want: { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
      release: 'mainThenMigration',
    });
    return blockedBy(downgradeFindings(facts, first, policy.source.version)) ?? change;
  },
};

const shell = { name: 'disableLeaderMigration', phase: 'disableLeaderMigration' } as const;

/** CCMs one by one, holder last, and only when no in-tree KCM can return. */
export const disableOnCcm: StepRule = {
  ...shell,
  propose: (facts) => {
    const { policy, presentCcms, inTree } = facts;
    if (policy.disableLeaderMigration === 'never' || inTree.length > 0) return NOT_NEEDED;
    const [next] = holderLast(presentCcms.filter(({ leaderMigrationOn }) => leaderMigrationOn));
    if (next === undefined) return NOT_NEEDED;
    return proposeCcmChange(facts, shell, {
      node: next.node,
      why: `the CCM on ${next.node} no longer needs the migration lock`,
      want: { manager: 'ccm', role: 'running', leaderMigration: 'off' },
      release: 'mainThenMigration',
    });
  },
};

/** After a rollback, where policy asks for the original settings: KCMs one by one, holder last. */
export const disableOnKcm: StepRule = {
  ...shell,
  propose: (facts) => {
    const { policy, presentCcms, inTree } = facts;
    if (policy.leaderMigrationAfterRollback === 'keep' || presentCcms.length > 0) return NOT_NEEDED;
    const [next] = holderLast(inTree.filter(({ leaderMigrationOn }) => leaderMigrationOn));
    if (next === undefined) return NOT_NEEDED;
    const change = proposeChange(shell, {
      node: next.node,
      why: `the KCM on ${next.node} returns to its original settings`,
      want: { manager: 'kcm', role: 'inTree', leaderMigration: 'off' },
      release: 'mainThenMigration',
    });
    return blockedBy(downgradeFindings(facts, next, policy.source.version)) ?? change;
  },
};
