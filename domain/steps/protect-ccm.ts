import { proposeCcmChange } from './foreign-ccm.js';
import { holderLast, NOT_NEEDED, type StepRule } from './step-rule.js';

/** Leader Migration on every CCM before any in-tree KCM returns, the holder last. */
export const protectCcm: StepRule = {
  name: 'protectCcm',
  phase: 'enableLeaderMigration',
  safePoint: 'end',
  suspends: 'the CCM of that node; the cloud controllers while the leader hands over',
  propose: (facts) => {
    const [next] = holderLast(
      facts.presentCcms.filter(({ protection }) => protection !== 'protected'),
    );
    if (next === undefined) return NOT_NEEDED;
    return proposeCcmChange(
      facts,
      protectCcm,
      `the CCM on ${next.node} must run cloud controllers only under the migration lock`,
      {
        node: next.node,
        want: { manager: 'ccm', role: 'running', leaderMigration: 'on' },
        release: 'mainThenMigration',
      },
    );
  },
};

/**
 * The CCMs of a completed migration must match the policy: one found without the lock, or on another one, gets it while
 * policy keeps Leader Migration on.
 */
export const keepCcmProtected: StepRule = {
  ...protectCcm,
  propose: (facts) =>
    facts.policy.disableLeaderMigration === 'never' ? protectCcm.propose(facts) : NOT_NEEDED,
};
