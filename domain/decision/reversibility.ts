import type { ClusterObservation } from '../observation.js';
import type { Decision } from '../step.js';

/**
 * Whether a cluster could go back from here, in words: from what the rules that would have to do it decide toward
 * `kcm` for this observation: their first step, or the finding that closes the way.
 */
export function reversibilityOf(back: Decision, { access }: ClusterObservation): string {
  if (back.kind === 'blocked') {
    const [{ code, seen }] = back.findings;
    return `not possible now: ${code}, ${seen}`;
  }
  if (back.kind === 'done') return 'possible: the cluster is as it was before the migration';
  return access.leaseGrant === 'present'
    ? `possible; first: ${back.step.why}`
    : `possible, once Leader Migration and its Lease access are there; first: ${back.step.why}`;
}
