import { proposeCcmChange } from './foreign-ccm.js';
import { changeManager, holderLast, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

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
