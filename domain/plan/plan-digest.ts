import { digestJson } from '../digest.js';
import type { Target } from '../vocabulary.js';

/** What decides a run, as recorded in a plan. */
export interface Decisive {
  readonly cluster: { readonly uid: string };
  readonly target: Target;
  readonly policy: object;
  readonly timings: object;
  readonly materials: object;
  readonly observation: object;
}

/**
 * Covers everything that decides what a run does, but not the steps, which follow from it and from the current leaders.
 */
export function planDigest(content: Decisive): string {
  const { cluster, target, policy, timings, materials, observation } = content;
  return digestJson({ uid: cluster.uid, target, policy, timings, materials, observation });
}
