import { severalKcms } from '../facts/several-kcms.js';
import { makeFinding } from '../findings/catalogue.js';
import { proposeCcmChange } from './foreign-ccm.js';
import { blocked, holderFirst, NOT_NEEDED, type StepRule } from './step-rule.js';

/**
 * R1: two managers run one controller. CCMs stop, the running one first and without a release, so that no standby takes over
 * at once; its standbys follow within the lease time. The opposite of holder-last.
 */
export const stopSecondOwner: StepRule = {
  name: 'stopSecondOwner',
  phase: 'repair',
  safePoint: 'end',
  suspends: 'the CCM of that node',
  propose: (facts) => {
    if (facts.owner !== 'both') return NOT_NEEDED;
    const kcms = severalKcms(facts.observation, facts.policy);
    const [first] = holderFirst(facts.presentCcms);
    if (first === undefined || kcms.length > 0) {
      return blocked(
        makeFinding('CCM2018', { subject: 'cloud controllers', seen: kcms.join('; ') }),
      );
    }
    return proposeCcmChange(
      facts,
      stopSecondOwner,
      `two managers run the same controllers; the CCM on ${first.node} stops first`,
      { node: first.node, want: { manager: 'ccm', role: 'stopped' }, cures: ['CCM3001'] },
    );
  },
};
