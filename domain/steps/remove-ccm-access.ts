import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** The workload, then the identity of the CCM: the last thing a rollback takes back. */
export const removeCcmAccess: StepRule = {
  name: 'removeCcmAccess',
  phase: 'removeCcm',
  safePoint: 'end',
  suspends: 'nothing',
  propose: ({ observation: { access, ccmWorkload }, presentCcms }) => {
    if (presentCcms.length > 0) return NOT_NEEDED;
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
