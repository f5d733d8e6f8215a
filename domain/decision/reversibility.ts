import type { ClusterObservation } from '../observation.js';
import type { Decision } from '../step.js';

/**
 * Whether the cluster could be rolled back from here, as text: what the rules decide for target `kcm` on this observation,
 * their first step or the finding that blocks it.
 */
export function reversibilityOf(back: Decision, { access }: ClusterObservation): string {
  if (back.kind === 'blocked') {
    const [{ code, seen }] = back.findings;
    return `not possible now: ${code}, ${seen}`;
  }
  if (back.kind === 'done') return 'possible: the cluster is as it was before the migration';
  return access.leaseGrant === 'present'
    ? `possible; first: ${back.step.why}`
    : `possible, once Leader Migration and its Lease access are in place; first: ${back.step.why}`;
}
