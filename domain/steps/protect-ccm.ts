import { changeManager, holderLast, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** Leader Migration on every CCM before any in-tree KCM returns, the holder last. */
export const protectCcm: StepRule = {
  name: 'protectCcm',
  phase: 'enableLeaderMigration',
  safePoint: 'end',
  suspends: 'the CCM of that node; the cloud controllers while the leader hands over',
  propose: ({ presentCcms }) => {
    const [next] = holderLast(presentCcms.filter(({ protection }) => protection !== 'protected'));
    if (next === undefined) return NOT_NEEDED;
    return propose(
      protectCcm,
      `the CCM on ${next.node} shall run cloud controllers only under the migration lock`,
      changeManager(
        next.node,
        { manager: 'ccm', role: 'running', leaderMigration: 'on' },
        'mainThenMigration',
      ),
      ['CCM3002'],
    );
  },
};
