import { sharesLock } from '../strategies/shares-lock.js';
import { awaitElection } from './await-election.js';
import { proposeCcmChange } from './foreign-ccm.js';
import { holderLast, NOT_NEEDED, type StepRule } from './step-rule.js';

/** Stops the CCMs, the main leader last, while an in-tree KCM stands by; without a lock before any KCM returns. */
export const stopCcm: StepRule = {
  name: 'stopCcm',
  phase: 'returnToKcm',
  safePoint: 'end',
  suspends: 'the CCM of that node; the cloud controllers while the leader hands over',
  propose: (facts) => {
    const [next] = holderLast(facts.presentCcms);
    if (next === undefined) return NOT_NEEDED;
    const successor = facts.kcmLeader?.standsBy === true || facts.owner === 'kcm';
    if (sharesLock(facts.policy.strategy) && !successor) return awaitElection('kcmStandsBy');
    return proposeCcmChange(facts, stopCcm, `the CCM on ${next.node} is no longer needed`, {
      node: next.node,
      want: { manager: 'ccm', role: 'stopped' },
      release: 'mainThenMigration',
    });
  },
};
