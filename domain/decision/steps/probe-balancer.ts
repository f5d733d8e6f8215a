import type { ProbeMoment, ProbeTimes } from '../../probes/balancer-probe.js';
import type { Owner, Target } from '../../vocabulary.js';
import type { Step } from '../step.js';

/**
 * The probe that is due in the present state: while the KCMs own the cloud controllers of a cluster that is to leave them, it
 * measures how things were. In all other states it proves the target, and its precondition is that the target owns them.
 */
export function probeBalancerStep(owner: Owner, target: Target, earlier: ProbeTimes | null): Step {
  const moment: ProbeMoment = target === 'ccm' && owner === 'kcm' ? 'before' : 'after';
  return {
    name: 'probeBalancer',
    phase: moment === 'before' ? 'preflight' : 'verify',
    why: WHY[moment],
    effect: { kind: 'probeBalancer', moment, owner: moment === 'before' ? 'kcm' : target, earlier },
    cures: [],
  };
}

const WHY: Readonly<Record<ProbeMoment, string>> = {
  before: 'what works before the first change can be compared with what works after it',
  after: 'a load balancer that is made, changed and deleted proves that the new owner works',
};
