import type { ClusterFacts, ManagerFact } from '../../ownership/cluster-facts.js';
import type { Phase } from '../../vocabulary.js';
import { awaitElection } from './await-election.js';
import {
  holderLast,
  NOT_NEEDED,
  type Proposal,
  proposeChange,
  type StepRule,
} from './step-rule.js';

const shell = { name: 'parkKcm', phase: 'returnToKcm' } as const;

/**
 * With as many in-tree KCMs as before (`addSourceMachine` sees to that), the manifests of the external ones are removed, main
 * leader last: then only in-tree KCMs can win the main lock. Restarting the holder instead can loop forever.
 */
export const parkExternalKcm: StepRule = {
  ...shell,
  propose: (facts) => {
    if (facts.policy.nodes.rollback !== 'replace') return NOT_NEEDED;
    const [next] = holderLast(facts.external);
    if (next === undefined) return NOT_NEEDED;
    return park(next, `only in-tree KCMs can lead once ${next.node} is parked`);
  },
};

/**
 * An in-tree KCM that does not share the lock yet must be restarted, and no CCM may exist before that: whichever KCM wins the
 * main lock meanwhile must have cloud loops. So the external KCMs are parked first, the main leader last, and return once a
 * CCM stands by.
 */
export const parkExternalKcmsForRestart: StepRule = {
  ...shell,
  phase: 'enableLeaderMigration',
  propose: ({ inTree, external }) => {
    const [next] = holderLast(external);
    const restarts = inTree.some(({ protection }) => protection !== 'protected');
    if (next === undefined || !restarts) return NOT_NEEDED;
    return park(
      next,
      `the external KCM on ${next.node} must not lead while no CCM can run the cloud controllers`,
      'enableLeaderMigration',
    );
  },
};

/** Without a shared lock: all KCMs but the leader are parked, so that one change of one process decides. */
export const parkStandbyKcms: StepRule = {
  ...shell,
  propose: (facts) => {
    const [next, ...staying] = holderLast(kcmsToPark(facts));
    if (next === undefined || staying.length === 0) return NOT_NEEDED;
    if (facts.kcmLeader === undefined) return awaitElection('kcmMainLeader');
    return park(next, `the KCM on ${next.node} must not win the main lock meanwhile`);
  },
};

/** For target `ccm` while any KCM has loops; for target `kcm` while any CCM exists. */
function kcmsToPark({
  target,
  inTree,
  external,
  presentCcms,
}: ClusterFacts): readonly ManagerFact[] {
  const present = [...inTree, ...external];
  if (target === 'ccm') return inTree.length > 0 ? present : [];
  return presentCcms.length > 0 ? present : [];
}

function park(next: ManagerFact, why: string, phase: Phase = shell.phase): Proposal {
  const want = { manager: 'kcm', role: 'parked' } as const;
  const change = { node: next.node, why, want, release: 'mainThenMigration' } as const;
  return proposeChange({ ...shell, phase }, change);
}
