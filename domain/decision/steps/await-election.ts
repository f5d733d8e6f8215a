import type { ClusterFacts } from '../../ownership/cluster-facts.js';
import type { ElectionGoal } from '../step.js';
import { NOT_NEEDED, propose, type Proposal, type StepRule } from './step-rule.js';

const REASONS: Readonly<Record<ElectionGoal, string>> = {
  kcmMainLeader: 'a KCM must lead before anything else changes',
  kcmMainLeaderHoldsMigration:
    'the leading KCM must hold the migration Lease, or the first CCM would take it early (P9)',
  ccmMainLeader: 'a CCM must lead before anything else changes',
  ccmMainLeaderHoldsMigration: 'the leading CCM must hold the migration Lease before a KCM returns',
  ccmStandsBy: 'a CCM must stand by before the KCM side is removed',
  kcmStandsBy: 'an in-tree KCM must stand by before the CCM side is removed',
  migrationHolder: 'the migrated controllers must have an owner',
  managersSettled:
    'every manager must run and a KCM lead: no other process runs the loops of the KCM',
};

const shell = { name: 'awaitElection', phase: 'replaceNodes' } as const;

export function awaitElection(goal: ElectionGoal): Proposal {
  return propose(shell, REASONS[goal], { kind: 'awaitElection', until: goal }, ['CCM3002']);
}

const REACHED: Readonly<Record<ElectionGoal, (facts: ClusterFacts) => boolean>> = {
  kcmMainLeader: ({ kcmLeader }) => kcmLeader !== undefined,
  ccmMainLeader: ({ ccmLeader }) => ccmLeader !== undefined,
  kcmMainLeaderHoldsMigration: ({ kcmLeader }) => kcmLeader?.holdsMigration === true,
  ccmMainLeaderHoldsMigration: ({ ccmLeader }) => ccmLeader?.holdsMigration === true,
  ccmStandsBy: ({ ccmLeader }) => ccmLeader?.standsBy === true,
  kcmStandsBy: ({ kcmLeader }) => kcmLeader?.standsBy === true,
  migrationHolder: ({ owner }) => owner === 'kcm' || owner === 'ccm',
  managersSettled: settled,
};

/**
 * An interrupted step may have written or parked the last manifest without waiting for its process; no direction may
 * end in that state.
 */
function settled({ kcms, presentCcms, kcmLeader, observation }: ClusterFacts): boolean {
  const alone = observation.nodes.some(({ kcm }) =>
    kcm.processes.some(({ config }) => !config.leaderElect),
  );
  return (
    (kcmLeader !== undefined || alone) &&
    [...kcms, ...presentCcms].every(
      ({ present, running, inPlace }) => (running && inPlace) || !present,
    )
  );
}

/** Whether an election has the result that a step asked for; the activity polls this function. */
export function electionReached(facts: ClusterFacts, goal: ElectionGoal): boolean {
  return REACHED[goal](facts);
}

/**
 * Before the first CCM the in-tree KCM main leader holds the migration Lease. Once a CCM exists, or the KCM main leader is
 * external, no holder is required: another CCM is then the cure.
 */
export const awaitKcmHoldsMigration: StepRule = {
  ...shell,
  propose: ({ inTree, presentCcms, kcmLeader }) => {
    if (inTree.length === 0 || presentCcms.length > 0) return NOT_NEEDED;
    if (kcmLeader === undefined) return awaitElection('kcmMainLeader');
    if (kcmLeader.role !== 'inTree' || kcmLeader.holdsMigration) return NOT_NEEDED;
    return awaitElection('kcmMainLeaderHoldsMigration');
  },
};

/** Before the first in-tree KCM returns, the CCM main leader holds the migration Lease. */
export const awaitCcmHoldsMigration: StepRule = {
  ...awaitKcmHoldsMigration,
  propose: ({ inTree, presentCcms, ccmLeader }) => {
    if (inTree.length > 0 || presentCcms.length === 0) return NOT_NEEDED;
    if (ccmLeader === undefined) return awaitElection('ccmMainLeader');
    return ccmLeader.holdsMigration ? NOT_NEEDED : awaitElection('ccmMainLeaderHoldsMigration');
  },
};

/** At the end of either direction the controllers must really have an owner, and the KCM's other loops a leader. */
export const awaitOwner: StepRule = {
  ...awaitKcmHoldsMigration,
  propose: (facts) => {
    if (facts.owner === 'none') return awaitElection('migrationHolder');
    return settled(facts) ? NOT_NEEDED : awaitElection('managersSettled');
  },
};
