import { digestJson } from '../digest.js';
import { type MemberLeaf, type MemberLevels, memberLevels } from './member-tree.js';

/** What the runs of a wave are started with, of which a statement names the digests. */
export interface SignedSettings {
  readonly policy: unknown;
  readonly materials: unknown;
  readonly timings: unknown;
}

/** What the runs of a fleet are started with, by wave, and its clusters in the order of its rows. */
export interface SignedFleet {
  readonly waves: readonly SignedSettings[];
  readonly members: readonly { readonly uid: string }[];
}

/** What the statement of a fleet says of its members: each is started with what its wave has. `waveOf`: the wave of each row. */
export function memberLeaves(
  { waves, members }: SignedFleet,
  waveOf: readonly number[],
): readonly MemberLeaf[] {
  const ofWaves = waves.map(({ policy, materials, timings }) => ({
    policy: digestJson(policy),
    materials: digestJson(materials),
    timings: digestJson(timings),
  }));
  return members.map(({ uid }, row) => ({
    cluster: uid,
    ...(ofWaves[waveOf[row] ?? -1] ?? NOTHING),
  }));
}

/** A row of no wave is started with nothing. */
const NOTHING = { policy: '', materials: '', timings: '' };

/** The tree over them. */
export function fleetLevels(fleet: SignedFleet, waveOf: readonly number[]): MemberLevels {
  return memberLevels(memberLeaves(fleet, waveOf));
}
