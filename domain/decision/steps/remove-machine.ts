import type { ClusterFacts, ManagerFact } from '../../ownership/cluster-facts.js';
import { leavingNodes, wantedNodes } from './add-machine.js';
import { awaitElection } from './await-election.js';
import {
  NOT_NEEDED,
  type Proposal,
  type StepRule,
  blockedBy,
  holderLast,
  propose,
  replaceFindings,
  sharesLock,
} from './step-rule.js';

const shell = { name: 'removeMachine', phase: 'replaceNodes' } as const;

/** Removes source machines while a CCM stands by, an unhealthy one first, the Lease holder last. */
export const removeSourceMachine: StepRule = {
  ...shell,
  propose: (facts) => {
    const leaving = leavingNodes(facts);
    if (leaving.length === 0 || facts.observation.nodes.length <= wantedNodes(facts)) {
      return NOT_NEEDED;
    }
    if (facts.owner !== 'ccm' && facts.ccmLeader?.standsBy !== true) {
      return awaitElection('ccmStandsBy');
    }
    // The standby CCM may be removed with its machine, and a new machine may not have started its own yet.
    const next = unhealthyFirst(facts, leaving.filter(leavesCcm(facts)));
    if (next === undefined) return awaitElection('managersSettled');
    return remove(facts, next);
  },
};

/** In a rollback the target machines are removed last, when their KCMs are parked; the CCM main leader at the end. */
export const removeTargetMachine: StepRule = {
  ...shell,
  phase: 'returnToKcm',
  propose: (facts) => {
    const { policy, observation } = facts;
    if (policy.nodes.rollback !== 'replace' || !sharesLock(policy.strategy)) return NOT_NEEDED;
    const surplus = observation.nodes.length - wantedNodes(facts);
    const names = facts.idle.map(({ node }) => node);
    const next = unhealthyFirst(
      facts,
      facts.ccms.filter(({ node }) => names.includes(node)),
    );
    if (next === undefined || surplus <= 0) return NOT_NEEDED;
    return facts.kcmLeader?.standsBy === true || facts.owner === 'kcm'
      ? remove(facts, next)
      : awaitElection('kcmStandsBy');
  },
};

/** Whether a CCM runs on another machine than the one being removed. */
function leavesCcm({ ccms }: ClusterFacts): (going: ManagerFact) => boolean {
  return (going) => ccms.some(({ node, running }) => running && node !== going.node);
}

function unhealthyFirst(
  { observation }: ClusterFacts,
  candidates: readonly ManagerFact[],
): ManagerFact | undefined {
  const ordered = holderLast(candidates);
  const sick = ordered.find(({ node }) =>
    observation.nodes.some(({ name, ready }) => name === node && ready !== 'yes'),
  );
  return sick ?? ordered[0];
}

function remove(facts: ClusterFacts, { node }: ManagerFact): Proposal {
  const release = facts.target === 'ccm' ? 'migrationThenMain' : 'mainThenMigration';
  const why = `machine ${node} is removed, its successor stands by`;
  return (
    blockedBy(replaceFindings(facts, node)) ??
    propose(shell, why, { kind: 'removeMachine', node, release }, ['CCM3002', 'CCM3005'])
  );
}
