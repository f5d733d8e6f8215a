import { makeFinding } from '../../findings/catalogue.js';
import type { ClusterFacts, ManagerFact } from '../../ownership/cluster-facts.js';
import { externalFindings } from './externalize-kcm.js';
import {
  NOT_NEEDED,
  type Proposal,
  type StepRule,
  blockedBy,
  propose,
  replaceFindings,
  sharesLock,
} from './step-rule.js';

const shell = { name: 'addMachine', phase: 'replaceNodes' } as const;

/** Adds a machine of the target side for each that still has an in-tree KCM, one at a time. */
export const addTargetMachine: StepRule = {
  ...shell,
  propose: (facts) => {
    if (facts.policy.nodes.forward !== 'replace' || !sharesLock(facts.policy.strategy)) {
      return NOT_NEEDED;
    }
    if (!isMissing(facts)) return NOT_NEEDED;
    return order(facts, 'target', 'a machine with an external KCM and a CCM joins', [
      ...unfrozen(facts),
      ...externalFindings(facts),
    ]);
  },
};

/**
 * Once replacement starts, nothing must bring back a machine of the source side: its KCM, without Leader Migration, would run
 * the cloud controllers beside the CCM. The machines API does not report automatic repair, so unless the operator states it, a
 * plan ends before the first machine, so that `apply` refuses it and a fleet leaves the cluster out; a run that gets here all
 * the same, such as one that goes forward again, holds once. Otherwise a second owner could appear with the next repaired node.
 * `machines.autoRepair: frozen` answers it, and so does a waiver: `skip` in a run that holds.
 */
function unfrozen({ policy, external }: ClusterFacts): ReturnType<typeof replaceFindings> {
  const waived = policy.waivers.some(({ code }) => code === 'CCM2012');
  if (policy.autoRepair === 'frozen' || waived || external.length > 0) return [];
  return [
    makeFinding('CCM2012', { subject: 'policy.machines.autoRepair', seen: policy.autoRepair }),
  ];
}

/**
 * One more than at the start while any in-tree KCM is left, even where none of several can be removed without a CCM.
 */
function isMissing(facts: ClusterFacts): boolean {
  const { observation, inTree, presentCcms } = facts;
  const surplus = observation.nodes.length - wantedNodes(facts);
  if (inTree.length === 0) return surplus < 0;
  return surplus <= 0 || presentCcms.length === 0;
}

/** Adds machines of the source side until there are as many in-tree KCMs as before. */
export const addSourceMachine: StepRule = {
  ...shell,
  phase: 'returnToKcm',
  propose: (facts) => {
    if (facts.policy.nodes.rollback !== 'replace' || !sharesLock(facts.policy.strategy)) {
      return NOT_NEEDED;
    }
    if (facts.inTree.length >= wantedNodes(facts)) return NOT_NEEDED;
    return order(facts, 'source', 'a machine with an in-tree KCM joins', []);
  },
};

function order(
  facts: ClusterFacts,
  side: 'source' | 'target',
  why: string,
  more: ReturnType<typeof replaceFindings>,
): Proposal {
  const ordered = facts.observation.machinesOrdered.find((each) => each.side === side);
  const machine = ordered?.name ?? nextName(facts);
  return (
    blockedBy([...more, ...replaceFindings(facts, null)]) ??
    propose(shell, why, { kind: 'addMachine', machine, side }, ['CCM3002'])
  );
}

/**
 * Nodes to be replaced: those with an in-tree KCM and, while there are more nodes than before and a CCM elsewhere, one whose
 * KCM is already gone and that never had a CCM (an interrupted removal).
 */
export function leavingNodes(facts: ClusterFacts): readonly ManagerFact[] {
  const { policy, observation, inTree, idle, presentCcms } = facts;
  if (policy.nodes.forward !== 'replace' || !sharesLock(policy.strategy)) return [];
  const surplus = observation.nodes.length - wantedNodes(facts);
  const withCcm = presentCcms.map(({ node }) => node);
  const halfGone =
    surplus > 0 && withCcm.length > 0 ? idle.filter(({ node }) => !withCcm.includes(node)) : [];
  return [...inTree, ...halfGone];
}

/** As many as there were before the first step; without a baseline as many as there are. */
export function wantedNodes({ observation }: ClusterFacts): number {
  return observation.baseline?.controlPlaneNodes ?? observation.nodes.length;
}

/** The next free number behind the common name, so that the same observation always requests the same machine. */
function nextName({ observation }: ClusterFacts): string {
  const names = [
    ...observation.nodes.map(({ name }) => name),
    ...observation.machinesOrdered.map(({ name }) => name),
    ...(observation.takenNames ?? []),
  ];
  const numbered = names.map((name) => /^(.*?)(\d+)$/.exec(name));
  const stem = numbered.find((match) => match !== null)?.[1] ?? `${names.slice(0, 1).join('')}-`;
  const numbers = numbered
    .filter((match) => match?.[1] === stem)
    .map((match) => Number(match?.[2]));
  return `${stem}${String(Math.max(0, ...numbers) + 1)}`;
}
