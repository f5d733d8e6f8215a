import { makeFinding } from '../../findings/catalogue.js';
import type { ClusterFacts, ManagerFact } from '../../ownership/cluster-facts.js';
import { awaitElection } from './await-election.js';
import {
  NOT_NEEDED,
  type Proposal,
  type StepRule,
  blockedBy,
  downgradeFindings,
  holderLast,
  proposeChange,
  sharesLock,
  skewFindings,
} from './step-rule.js';

/**
 * The KCMs lose their cloud loops, the Lease holder last and only while a CCM stands by. The migration Lease
 * is released before the main one: both at once let a standby KCM retake it (P17).
 */
export const externalizeKcm: StepRule = {
  name: 'externalizeKcm',
  phase: 'replaceNodes',
  propose: (facts) => {
    const next = candidate(facts);
    if (next === undefined) return NOT_NEEDED;
    return blockedBy(overwriteFindings(facts, next)) ?? waitForCcm(facts) ?? externalize(next);
  },
};

function externalize(next: ManagerFact): Proposal {
  return proposeChange(externalizeKcm, {
    node: next.node,
    why:
      next.role === 'inTree'
        ? `the KCM on ${next.node} hands its cloud controllers to the CCM`
        : `the KCM on ${next.node} comes back without cloud controllers`,
    want: { manager: 'kcm', role: 'external' },
    release: 'migrationThenMain',
  });
}

/** Parked KCMs come first: they hold nothing and the cluster lacks them. */
function candidate({ idle, inTree, policy }: ClusterFacts): ManagerFact | undefined {
  const [away] = holderLast(idle);
  const replaced = policy.nodes.forward === 'replace' && sharesLock(policy.strategy);
  const [next] = replaced ? [] : holderLast(inTree);
  return away ?? next;
}

function waitForCcm(facts: ClusterFacts): Proposal | null {
  const mayGo =
    facts.owner === 'ccm' ||
    facts.ccmLeader?.standsBy === true ||
    !sharesLock(facts.policy.strategy);
  return mayGo ? null : awaitElection('ccmStandsBy');
}

/** What forbids one in the place of what is there. */
function overwriteFindings(
  facts: ClusterFacts,
  there: ManagerFact,
): ReturnType<typeof skewFindings> {
  const { version } = facts.policy.target;
  return [...externalFindings(facts), ...downgradeFindings(facts, there, version)];
}

/** What forbids any external KCM: it could win the main lock after any crash. */
export function externalFindings(facts: ClusterFacts): ReturnType<typeof skewFindings> {
  const { observation, policy } = facts;
  const volumes = observation.inventory.persistentVolumes.inTree;
  const waived = policy.waivers.some(({ code }) => code === 'CCM2013');
  return [
    ...skewFindings(facts, policy.target.version, `KCM ${policy.target.version}`),
    ...(volumes > 0 && !waived
      ? [
          makeFinding('CCM2013', {
            subject: 'PersistentVolumes',
            seen: `${String(volumes)} volumes of the in-tree provider without CSI migration`,
          }),
        ]
      : []),
  ];
}

/** Without a shared lock: the one remaining KCM provably loses its cloud loops before any CCM starts. */
export const externalizeLeader: StepRule = {
  name: 'externalizeKcm',
  phase: 'replaceNodes',
  propose: (facts) => {
    const [next] = holderLast(facts.inTree);
    if (next === undefined) return NOT_NEEDED;
    const step = proposeChange(externalizeLeader, {
      node: next.node,
      why: `the KCM on ${next.node} stops its cloud controllers; the CCM starts once that is proven`,
      want: { manager: 'kcm', role: 'external' },
      release: 'migrationThenMain',
    });
    return blockedBy(overwriteFindings(facts, next)) ?? step;
  },
};
