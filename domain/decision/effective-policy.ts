import type { ClusterObservation } from '../observation.js';
import type { MigrationPolicy, Waiver } from '../policy.js';
import { decisiveDigest } from './decisive-digest.js';
import type { Allowances } from './run-decision.js';
import { HANDOVER_APPROVAL } from './waivable.js';

/**
 * The policy for one observation, with the approvals of this run and only those waivers that were given for exactly this
 * state of the cluster. A waiver thus applies once: after any change the finding has to be judged again.
 */
export function effectivePolicy(
  policy: MigrationPolicy,
  { waivers, approvals }: Allowances,
  observation: ClusterObservation,
): MigrationPolicy {
  if (policy.waivers.length + waivers.length + approvals.length === 0) return policy;
  const digest = decisiveDigest(observation);
  const bound = [...policy.waivers, ...waivers].filter(
    ({ observationDigest }) => observationDigest === digest,
  );
  const approved = approvals
    .filter((what) => what !== HANDOVER_APPROVAL)
    .map((code): Waiver => ({
      code,
      observationDigest: digest,
      actor: 'approval',
      reason: 'approved for this run',
    }));
  return { ...policy, waivers: [...bound, ...approved] };
}
