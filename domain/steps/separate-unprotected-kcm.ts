import type { ClusterFacts, ManagerFact } from '../facts/cluster-facts.js';
import { changeManager, holderLast, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

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
    if (loose.length === 0 || facts.presentCcms.length === 0) return NOT_NEEDED;
    return facts.owner === 'ccm' ? takeLoops(holderLast(loose)) : stopCcms(facts);
  },
};

function takeLoops([first]: readonly ManagerFact[]): ReturnType<StepRule['propose']> {
  if (first === undefined) return NOT_NEEDED;
  return propose(
    separateUnprotectedKcm,
    `the KCM on ${first.node} has cloud loops outside the shared lock while a CCM owns them`,
    changeManager(first.node, { manager: 'kcm', role: 'external' }),
    ['CCM3001', 'CCM3002'],
  );
}

function stopCcms(facts: ClusterFacts): ReturnType<StepRule['propose']> {
  const [first] = holderLast(facts.presentCcms);
  if (first === undefined) return NOT_NEEDED;
  return propose(
    separateUnprotectedKcm,
    `a KCM has cloud loops outside the shared lock; the CCM on ${first.node} stops until it has`,
    changeManager(first.node, { manager: 'ccm', role: 'stopped' }),
    ['CCM3001', 'CCM3002'],
  );
}
