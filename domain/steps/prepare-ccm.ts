import { makeFinding } from '../findings/catalogue.js';
import { blocked, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** Identity, least-privilege role and workload of the CCM, on no node yet. */
export const prepareCcm: StepRule = {
  name: 'prepareCcm',
  phase: 'prepareCcm',
  safePoint: 'end',
  suspends: 'nothing',
  propose: ({ observation, policy }) => {
    const { ccmWorkload, access } = observation;
    if (policy.strategy === 'leaderMigration' && policy.ccm.leaderMigration === 'absent') {
      return blocked(
        makeFinding('CCM2009', {
          subject: `image ${policy.ccm.image}`,
          seen: 'ccm.leaderMigration: absent',
        }),
      );
    }
    if (ccmWorkload.owner === 'foreign' && !policy.waivers.some(({ code }) => code === 'CCM2007')) {
      return blocked(
        makeFinding('CCM2007', {
          subject: `${ccmWorkload.source} ${ccmWorkload.name}`,
          seen: 'the CCM workload is managed by someone else',
        }),
      );
    }
    if (access.ccmAccess === 'present') return NOT_NEEDED;
    return propose(
      prepareCcm,
      'the CCM gets its identity and rights before it starts',
      { kind: 'setAccess', access: 'ccmAccess', want: 'present' },
      ['CCM3002'],
    );
  },
};
