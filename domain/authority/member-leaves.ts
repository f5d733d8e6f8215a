import { digestJson } from '../digest.js';
import {
  type MemberLeaf,
  type MemberLevels,
  type SignedWave,
  memberLevels,
  membersRoot,
} from './member-tree.js';

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

/** What a plan says of its rows and waves. */
export interface SignedRows {
  readonly rows: readonly { readonly wave: number }[];
  readonly waves: readonly DemandingWave[];
  readonly revision: number;
}

export interface DemandingWave {
  readonly approvals: { readonly before: number };
  readonly approvers: readonly string[] | null;
  /** It was over when the plan was revised: what its clusters needed they had, and no one can approve it again. */
  readonly overAtRevision?: true;
}

/** What each wave demands of people, as the statement of its fleet says; null where it demands nothing. */
export function signedWaves({
  waves,
  revision,
}: Omit<SignedRows, 'rows'>): readonly (SignedWave | null)[] {
  return waves.map(({ approvals: { before }, approvers, overAtRevision }, index) =>
    before === 0 || overAtRevision === true ? null : { index, revision, before, approvers },
  );
}

/**
 * What the statement of a fleet says of its members: each is started with what its wave has, once people have approved the wave.
 * `demands`: of each wave; none as versions signed it that left the approvals to the fleet.
 */
export function memberLeaves(
  { waves, members }: SignedFleet,
  rows: SignedRows['rows'],
  demands: readonly (SignedWave | null)[],
): readonly MemberLeaf[] {
  const ofWaves = waves.map(({ policy, materials, timings }, index) => ({
    policy: digestJson(policy),
    materials: digestJson(materials),
    timings: digestJson(timings),
    ...waveOfLeaf(demands[index] ?? null),
  }));
  return members.map(({ uid }, row) => ({
    cluster: uid,
    ...(ofWaves[rows[row]?.wave ?? -1] ?? NOTHING),
  }));
}

function waveOfLeaf(wave: SignedWave | null): Pick<MemberLeaf, 'wave'> {
  return wave === null ? {} : { wave };
}

/** A row of no wave is started with nothing. */
const NOTHING = { policy: '', materials: '', timings: '' };

/** The tree over them, as it is signed now. */
export function fleetLevels(fleet: SignedFleet, plan: SignedRows): MemberLevels {
  return memberLevels(memberLeaves(fleet, plan.rows, signedWaves(plan)));
}

/** The tree of a statement, and what it says of each wave: of none where an older version signed it. */
export interface SignedTree {
  readonly levels: MemberLevels;
  readonly waves: readonly (SignedWave | null)[];
}

/** The tree in the form in which a statement has it. `root`: the one that the statement names; of other members it has another one. */
export function treeAsSigned(fleet: SignedFleet, plan: SignedRows, root: string): SignedTree {
  const tree = { levels: fleetLevels(fleet, plan), waves: signedWaves(plan) };
  if (membersRoot(tree.levels) === root) return tree;
  const levels = memberLevels(memberLeaves(fleet, plan.rows, []));
  return membersRoot(levels) === root ? { levels, waves: [] } : tree;
}
