import { digestJson } from '../digest.js';
import type { MemberLeaf } from './member-tree.js';

/** What the runs of a wave are started with, of which a statement names the digests. */
export interface SignedSettings {
  readonly policy: unknown;
  readonly materials: unknown;
  readonly timings: unknown;
}

/** What the statement of a fleet says of its members, in the order of the rows: each is started with what its wave has. */
export function memberLeaves(
  waves: readonly SignedSettings[],
  rows: readonly { readonly uid: string; readonly wave: number }[],
): readonly MemberLeaf[] {
  const ofWaves = waves.map(({ policy, materials, timings }) => ({
    policy: digestJson(policy),
    materials: digestJson(materials),
    timings: digestJson(timings),
  }));
  return rows.map(({ uid, wave }) => ({ cluster: uid, ...(ofWaves[wave] ?? NOTHING) }));
}

/** A row of no wave is started with nothing. */
const NOTHING = { policy: '', materials: '', timings: '' };
