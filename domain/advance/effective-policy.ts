import type { ClusterObservation } from '../observation.js';
import type { MigrationPolicy, Waiver } from '../policy.js';
import { decisionDigest } from './observation-digest.js';
import type { RunState } from './run-state.js';
import { HANDOVER_APPROVAL } from './waivable.js';

/**
 * The policy for one look: of all waivers only those that were given for exactly this cluster state, and the
 * approvals of this run. A waiver thus lets one thing pass once; whatever changes, it has to be judged again.
 */
export function effectivePolicy(
  { policy, waivers, approvals }: RunState,
  observation: ClusterObservation,
): MigrationPolicy {
  const digest = decisionDigest(observation);
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
