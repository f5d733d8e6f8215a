import { makeFinding } from '../../findings/catalogue.js';
import type { ClusterFacts, ManagerFact } from '../../ownership/cluster-facts.js';
import { wantedNodes } from './add-machine.js';
import {
  NOT_NEEDED,
  type Proposal,
  type StepRule,
  blocked,
  blockedBy,
  holderLast,
  proposeChange,
  sharesLock,
  sourceKcmSkew,
} from './step-rule.js';

/**
 * In-tree KCMs return one by one on the existing nodes, the external main leader last: once it is gone only in-tree KCMs can
 * win its lock. Beside a CCM they share the lock; API servers stay unchanged.
 */
export const restoreKcm: StepRule = {
  name: 'restoreKcm',
  phase: 'returnToKcm',
  propose: (facts) => {
    const next = candidate(facts);
    if (next === undefined) return NOT_NEEDED;
    return proposeChange(restoreKcm, {
      node: next.node,
      why: `the KCM on ${next.node} gets its cloud controllers back`,
      want: { manager: 'kcm', role: 'inTree', leaderMigration: lock(facts) },
      release: 'mainThenMigration',
    });
  },
};

/**
 * Checked before the first step of a rollback: strategy gap stops the CCMs before any KCM returns, and would notice too late
 * that none may. Possible obstacles: no baseline, no cloud loops in the binary, or a KCM that the current API servers do not
 * accept.
 */
export const checkRollbackPath: StepRule = {
  ...restoreKcm,
  propose: (facts) => {
    const { policy, inTree, kcms } = facts;
    const ordered = policy.nodes.rollback === 'replace' ? wantedNodes(facts) : 0;
    if (inTree.length >= Math.max(kcms.length, ordered)) return NOT_NEEDED;
    return missingBaseline(facts) ?? blockedBy(sourceKcmSkew(facts)) ?? NOT_NEEDED;
  },
};

function candidate(facts: ClusterFacts): ManagerFact | undefined {
  const { policy, idle, external } = facts;
  // Without a shared lock no CCM is left by now: `stopCcm` comes first.
  if (!sharesLock(policy.strategy)) return [...external, ...holderLast(idle)][0];
  return policy.nodes.rollback === 'replace' ? undefined : holderLast([...idle, ...external])[0];
}

/** Beside a CCM always under the lock; afterwards like the other KCMs and the policy. */
function lock({ presentCcms, policy, observation }: ClusterFacts): 'on' | 'off' {
  if (!sharesLock(policy.strategy)) return 'off';
  if (presentCcms.length > 0) return 'on';
  const keeps = policy.leaderMigrationAfterRollback === 'keep';
  return keeps && observation.access.leaseGrant === 'present' ? 'on' : 'off';
}

/** A rollback needs the recorded original, and a binary that still has the loops. */
function missingBaseline({ observation, inTree }: ClusterFacts): Proposal | null {
  const { baseline } = observation;
  if (baseline === null) {
    if (inTree.length > 0) return null;
    return blocked(
      makeFinding('CCM2002', {
        subject: 'ConfigMap kube-system/ccm-migrate-baseline',
        seen: 'absent, and no node has an in-tree KCM manifest',
      }),
    );
  }
  if (baseline.kcm.cloudLoops) return null;
  return blocked(
    makeFinding('CCM2008', {
      subject: `image ${baseline.kcm.image}`,
      seen: 'no cloud loops in it',
    }),
  );
}
