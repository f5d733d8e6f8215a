import type { ClusterFacts, ManagerFact } from '../facts/cluster-facts.js';
import { proposeCcmChange } from './foreign-ccm.js';
import { recordedFirst } from './record-baseline.js';
import {
  changeManager,
  holderFirst,
  holderLast,
  NOT_NEEDED,
  propose,
  type Proposal,
  type StepRule,
} from './step-rule.js';

/**
 * R3: an in-tree KCM without the shared lock beside any CCM: whichever wins its main lock, both run.
 * While KCM owns, the CCMs stop; while CCM owns, those KCMs lose their loops.
 */
export const separateUnprotectedKcm: StepRule = {
  name: 'separateUnprotectedKcm',
  phase: 'repair',
  safePoint: 'end',
  suspends: 'the manager of that node',
  propose: (facts) => {
    const loose = facts.inTree.filter(({ protection }) => protection !== 'protected');
    const [kcm] = holderLast(loose);
    const [ccm] = inStoppingOrder(facts.presentCcms);
    if (kcm === undefined || ccm === undefined) return NOT_NEEDED;
    return facts.owner === 'ccm' ? recordedFirst(facts, takeLoops(kcm)) : stopCcm(facts, ccm);
  },
};

/**
 * Standbys outside the lock, then the main leader, then the rest. With the leader last, nearly every such cluster stays one
 * election away from two owners; with the leader first, a standby without the lock takes its place.
 */
function inStoppingOrder(ccms: readonly ManagerFact[]): readonly ManagerFact[] {
  const outside = ccms.filter(({ leads, protection }) => !leads && protection !== 'protected');
  return [...holderLast(outside), ...holderFirst(ccms)];
}

function takeLoops({ node }: ManagerFact): Proposal {
  return propose(
    separateUnprotectedKcm,
    `the KCM on ${node} has cloud loops outside the shared lock while a CCM owns them`,
    changeManager(node, { manager: 'kcm', role: 'external' }),
    ['CCM3001', 'CCM3002'],
  );
}

function stopCcm(facts: ClusterFacts, { node }: ManagerFact): Proposal {
  return proposeCcmChange(
    facts,
    separateUnprotectedKcm,
    `a KCM has cloud loops outside the shared lock; the CCM on ${node} stops until it shares the lock`,
    { node, want: { manager: 'ccm', role: 'stopped' }, cures: ['CCM3001', 'CCM3002'] },
  );
}
