import { changeManager, holderFirst, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/**
 * R1: two managers run one controller. CCMs stop, the running one first and without a release, so that
 * nobody takes its place at once; its standbys follow within the lease time. The opposite of holder-last.
 */
export const stopSecondOwner: StepRule = {
  name: 'stopSecondOwner',
  phase: 'repair',
  safePoint: 'end',
  suspends: 'the CCM of that node',
  propose: (facts) => {
    const [first] = facts.owner === 'both' ? holderFirst(facts.presentCcms) : [];
    if (first === undefined) return NOT_NEEDED;
    return propose(
      stopSecondOwner,
      `two managers run the same controllers; the CCM on ${first.node} stops first`,
      changeManager(first.node, { manager: 'ccm', role: 'stopped' }),
      ['CCM3001'],
    );
  },
};
