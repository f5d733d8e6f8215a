import { makeFinding } from '../findings/catalogue.js';
import { foreignWorkload } from './foreign-ccm.js';
import { blocked, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** Identity, least-privilege role and workload of the CCM, on no node yet. */
export const prepareCcm: StepRule = {
  name: 'prepareCcm',
  phase: 'prepareCcm',
  safePoint: 'end',
  suspends: 'nothing',
  propose: (facts) => {
    const { observation, policy } = facts;
    const { access } = observation;
    if (policy.strategy === 'leaderMigration' && policy.ccm.leaderMigration === 'absent') {
      return blocked(
        makeFinding('CCM2009', {
          subject: `image ${policy.ccm.image}`,
          seen: 'ccm.leaderMigration: absent',
        }),
      );
    }
    const foreign = foreignWorkload(facts);
    if (foreign !== null) return blocked(foreign);
    if (access.ccmAccess === 'present') return NOT_NEEDED;
    return propose(
      prepareCcm,
      'the CCM gets its identity and rights before it starts',
      { kind: 'setAccess', access: 'ccmAccess', want: 'present' },
      ['CCM3002'],
    );
  },
};
