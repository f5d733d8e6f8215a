import { proposeCcmChange } from './foreign-ccm.js';
import { recordedFirst } from './record-baseline.js';
import {
  changeManager,
  holderFirst,
  holderLast,
  NOT_NEEDED,
  propose,
  type StepRule,
} from './step-rule.js';

/**
 * R4: a CCM without the shared lock beside protected in-tree KCMs. While CCM owns, the KCMs become
 * external; else that CCM stops.
 */
export const separateUnprotectedCcm: StepRule = {
  name: 'separateUnprotectedCcm',
  phase: 'repair',
  safePoint: 'end',
  suspends: 'the manager of that node',
  propose: (facts) => {
    const loose = facts.presentCcms.filter(({ protection }) => protection !== 'protected');
    const [ccm] = holderFirst(loose);
    const [kcm] = holderLast(facts.inTree);
    if (ccm === undefined || kcm === undefined) return NOT_NEEDED;
    if (facts.owner === 'ccm') {
      return recordedFirst(
        facts,
        propose(
          separateUnprotectedCcm,
          `a CCM owns the controllers without the shared lock; the KCM on ${kcm.node} loses its loops`,
          changeManager(kcm.node, { manager: 'kcm', role: 'external' }),
          ['CCM3001', 'CCM3002'],
        ),
      );
    }
    return proposeCcmChange(
      facts,
      separateUnprotectedCcm,
      `the CCM on ${ccm.node} does not share the lock with the KCMs that own the controllers`,
      {
        node: ccm.node,
        want: { manager: 'ccm', role: 'stopped' },
        cures: ['CCM3001', 'CCM3002'],
      },
    );
  },
};
