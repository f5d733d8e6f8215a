import { makeFinding } from '../findings/catalogue.js';
import { stopCommand } from './foreign-ccm.js';
import { blocked, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** Removes the workload, then the identity of the CCM: the last part of a rollback, after `stopCcm` has stopped all. */
export const removeCcmAccess: StepRule = {
  name: 'removeCcmAccess',
  phase: 'removeCcm',
  safePoint: 'end',
  suspends: 'nothing',
  propose: ({ observation: { access, ccmWorkload } }) => {
    const workload = ccmWorkload.source === 'daemonSet' || ccmWorkload.source === 'deployment';
    if (workload && ccmWorkload.owner !== 'ours') {
      return blocked(
        makeFinding('CCM2014', {
          subject: `${ccmWorkload.source} ${ccmWorkload.name}`,
          seen: `it would restart a CCM and is not ours to remove; stop it with ${stopCommand(ccmWorkload.source, ccmWorkload.name, 'its node')}`,
        }),
      );
    }
    if (workload) {
      return propose(
        removeCcmAccess,
        `${ccmWorkload.source} ${ccmWorkload.name} must not restart a CCM`,
        {
          kind: 'removeCcmWorkload',
        },
      );
    }
    if (access.ccmAccess === 'absent') return NOT_NEEDED;
    return propose(removeCcmAccess, 'no CCM is left that needs the identity', {
      kind: 'setAccess',
      access: 'ccmAccess',
      want: 'absent',
    });
  },
};
