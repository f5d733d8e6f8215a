import type { ClusterObservation } from '../observation/observation.js';
import type { MigrationPolicy, Waiver } from '../policy.js';
import { HANDOVER_APPROVAL } from '../vocabulary.js';
import { decisiveDigest } from './decisive-digest.js';
import type { Allowances } from './run-decision.js';

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

/**
 * Which findings a person may let pass, and with which command. What is not listed here cannot be waived: everything that
 * guards against two owners (I1, I2), a lost quorum (I4) or an unfenced or unguarded write (I8) stays closed to everyone.
 */
const WAIVABLE: Readonly<Record<string, 'approve' | 'skip'>> = {
  /** A CCM workload of another tool: its owner must agree to the takeover. */
  CCM2007: 'approve',
  /** Auto-repair of source machines: the operator states that it is frozen, because we cannot observe it. */
  CCM2012: 'skip',
  /** A Node that was deleted: another person states that its host is gone, because nothing that we can ask proves it. */
  CCM2020: 'approve',
  /** In-tree volumes or IPAM mode: the operator states that they are dealt with. */
  CCM2013: 'skip',
};

export function waivableBy(code: string): 'approve' | 'skip' | 'never' {
  return WAIVABLE[code] ?? 'never';
}

/** Whether a skip of this code is of gates, of which several share it; the others are findings, of which there is one. */
export function isSkipOfGates(code: string): boolean {
  return code !== '' && waivableBy(code) !== 'skip';
}
