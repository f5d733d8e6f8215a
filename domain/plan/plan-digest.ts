import { digestJson } from '../digest.js';
import type { Target } from '../vocabulary.js';

/** What decides a run, as a plan names it. */
export interface Decisive {
  readonly cluster: { readonly uid: string };
  readonly target: Target;
  readonly policy: object;
  readonly timings: object;
  readonly materials: object;
  readonly observation: object;
}

/** Over all that decides what a run does: not over the steps, which follow from it and from who leads now. */
export function planDigest(content: Decisive): string {
  const { cluster, target, policy, timings, materials, observation } = content;
  return digestJson({ uid: cluster.uid, target, policy, timings, materials, observation });
}
