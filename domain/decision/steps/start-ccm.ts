import type { ClusterFacts, ManagerFact } from '../../ownership/cluster-facts.js';
import { leavingNodes } from './add-machine.js';
import { awaitElection } from './await-election.js';
import { proposeCcmChange } from './foreign-ccm.js';
import {
  NOT_NEEDED,
  type StepRule,
  blockedBy,
  ccmSkew,
  holderLast,
  proposeChange,
  sharesLock,
} from './step-rule.js';

/** Starts a CCM on each control-plane node that stays; earlier rules have made every in-tree KCM share the lock. */
export const startCcm: StepRule = {
  name: 'startCcm',
  phase: 'replaceNodes',
  propose: (facts) => {
    const next = candidate(facts);
    if (next === undefined) return NOT_NEEDED;
    const step = proposeChange(startCcm, {
      node: next.node,
      why: `a CCM on ${next.node} stands by for the controllers`,
      want: { manager: 'ccm', role: 'running', leaderMigration: lock(facts) },
    });
    return blockedBy(ccmSkew(facts)) ?? step;
  },
};

/** Nodes to be replaced get none: their successors bring it. */
function candidate(facts: ClusterFacts): ManagerFact | undefined {
  const going = leavingNodes(facts).map(({ node }) => node);
  return facts.ccms.find(({ node, present }) => !present && !going.includes(node));
}

function lock({ policy }: ClusterFacts): 'on' | 'off' {
  return sharesLock(policy.strategy) ? 'on' : 'off';
}

/** Leader Migration on every CCM before any in-tree KCM returns, the holder last. */
export const protectCcm: StepRule = {
  name: 'protectCcm',
  phase: 'enableLeaderMigration',
  propose: (facts) => {
    const [next] = holderLast(
      facts.presentCcms.filter(({ protection }) => protection !== 'protected'),
    );
    if (next === undefined) return NOT_NEEDED;
    return proposeCcmChange(facts, protectCcm, {
      node: next.node,
      why: `the CCM on ${next.node} must run cloud controllers only under the migration lock`,
      want: { manager: 'ccm', role: 'running', leaderMigration: 'on' },
      release: 'mainThenMigration',
    });
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

/** Stops the CCMs, the main leader last, while an in-tree KCM stands by; without a lock before any KCM returns. */
export const stopCcm: StepRule = {
  name: 'stopCcm',
  phase: 'returnToKcm',
  propose: (facts) => {
    const [next] = holderLast(facts.presentCcms);
    if (next === undefined) return NOT_NEEDED;
    const successor = facts.kcmLeader?.standsBy === true || facts.owner === 'kcm';
    if (sharesLock(facts.policy.strategy) && !successor) return awaitElection('kcmStandsBy');
    return proposeCcmChange(facts, stopCcm, {
      node: next.node,
      why: `the CCM on ${next.node} is no longer needed`,
      want: { manager: 'ccm', role: 'stopped' },
      release: 'mainThenMigration',
    });
  },
};
