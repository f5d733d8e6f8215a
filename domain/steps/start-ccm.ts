import type { ClusterFacts, ManagerFact } from '../facts/cluster-facts.js';
import { sharesLock } from '../strategies/shares-lock.js';
import { leavingNodes } from './add-machine.js';
import { ccmSkew } from './skew.js';
import { blocked, changeManager, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** Starts a CCM on each control-plane node that stays; earlier rules have made every in-tree KCM share the lock. */
export const startCcm: StepRule = {
  name: 'startCcm',
  phase: 'replaceNodes',
  safePoint: 'end',
  suspends: 'nothing',
  propose: (facts) => {
    const next = candidate(facts);
    if (next === undefined) return NOT_NEEDED;
    const [skew] = ccmSkew(facts);
    if (skew !== undefined) return blocked(skew);
    return propose(
      startCcm,
      `a CCM on ${next.node} stands by for the controllers`,
      changeManager(next.node, { manager: 'ccm', role: 'running', leaderMigration: lock(facts) }),
      ['CCM3002'],
    );
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
