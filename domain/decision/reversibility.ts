import type { ClusterObservation } from '../observation.js';
import type { Decision } from '../step.js';

/**
 * Whether a cluster could go back from here, in words: from what the rules that would have to do it decide toward
 * `kcm` for this observation: their first step, or the finding that closes the way.
 */
export function reversibilityOf(back: Decision, { access }: ClusterObservation): string {
  if (back.kind === 'blocked') {
    const [{ code, seen }] = back.findings;
    return `not reversible now: ${code}, ${seen}`;
  }
  if (back.kind === 'done') return 'reversible: the cluster is at its source side';
  return access.leaseGrant === 'present'
    ? `reversible; first: ${back.step.why}`
    : `reversible with notes: Leader Migration and its Lease access have to come first; ${back.step.why}`;
}
