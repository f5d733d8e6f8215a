import { externalFindings } from './externalize-kcm.js';
import {
  blocked,
  changeManager,
  holderLast,
  NOT_NEEDED,
  propose,
  type StepRule,
} from './step-rule.js';

/** Without a shared lock: the one remaining KCM provably loses its cloud loops before any CCM starts. */
export const externalizeLeader: StepRule = {
  name: 'externalizeKcm',
  phase: 'replaceNodes',
  safePoint: 'end',
  suspends: 'all cloud controllers until the CCM runs',
  propose: (facts) => {
    const [next] = holderLast(facts.inTree);
    if (next === undefined) return NOT_NEEDED;
    const [finding, ...more] = externalFindings(facts);
    if (finding !== undefined) return blocked(finding, ...more);
    return propose(
      externalizeLeader,
      `the KCM on ${next.node} stops its cloud controllers; the CCM starts once that is proven`,
      changeManager(next.node, { manager: 'kcm', role: 'external' }, 'migrationThenMain'),
      ['CCM3002'],
    );
  },
};
