import type { ManagerFact } from '../facts/cluster-facts.js';
import {
  changeManager,
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
    const [ccm] = holderLast(facts.presentCcms);
    if (kcm === undefined || ccm === undefined) return NOT_NEEDED;
    return facts.owner === 'ccm' ? takeLoops(kcm) : stopCcm(ccm);
  },
};

function takeLoops({ node }: ManagerFact): Proposal {
  return propose(
    separateUnprotectedKcm,
    `the KCM on ${node} has cloud loops outside the shared lock while a CCM owns them`,
    changeManager(node, { manager: 'kcm', role: 'external' }),
    ['CCM3001', 'CCM3002'],
  );
}

function stopCcm({ node }: ManagerFact): Proposal {
  return propose(
    separateUnprotectedKcm,
    `a KCM has cloud loops outside the shared lock; the CCM on ${node} stops until it has`,
    changeManager(node, { manager: 'ccm', role: 'stopped' }),
    ['CCM3001', 'CCM3002'],
  );
}
