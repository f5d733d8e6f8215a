import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** The workload, then the identity of the CCM: the last thing a rollback takes back, after `stopCcm` has stopped all. */
export const removeCcmAccess: StepRule = {
  name: 'removeCcmAccess',
  phase: 'removeCcm',
  safePoint: 'end',
  suspends: 'nothing',
  propose: ({ observation: { access, ccmWorkload } }) => {
    const workload = ccmWorkload.source === 'daemonSet' || ccmWorkload.source === 'deployment';
    if (workload) {
      return propose(
        removeCcmAccess,
        `${ccmWorkload.source} ${ccmWorkload.name} must not bring a CCM back`,
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
