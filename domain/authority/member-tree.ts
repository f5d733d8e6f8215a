import { canonicalJson, digestText } from '../digest.js';

/** What the statement of a fleet says of one of its clusters. */
export interface MemberLeaf {
  readonly cluster: string;
  readonly policy: string;
  readonly materials: string;
  readonly timings: string;
  /** Absent where it demands nothing, and from statements of versions that left the approvals of waves to the fleet. */
  readonly wave?: SignedWave;
}

/** What people must have said before a cluster of a wave is changed. */
export interface SignedWave {
  /** Position in the plan, from 0. */
  readonly index: number;
  /** Of the plan that they approve. */
  readonly revision: number;
  /** How many people. */
  readonly before: number;
  /** Who may; null for anyone but the requester. */
  readonly approvers: readonly string[] | null;
}

/** Proves that a cluster is among those of a fleet's statement. */
export interface MemberProof {
  /** Position of the leaf, from 0. */
  readonly index: number;
  readonly size: number;
  /** Neighbours from the leaf up to the root. */
  readonly path: readonly string[];
}

/** Levels of a tree from its leaves to its root, as `memberLevels` makes them. */
export type MemberLevels = readonly (readonly string[])[];

/**
 * A Merkle tree over the members in the order of the fleet's rows, shaped as in RFC 6962, section 2.1: a last node without a
 * neighbour rises as it is. Leaves and nodes are hashed under different words, so that none passes for the other.
 */
export function memberLevels(leaves: readonly MemberLeaf[]): MemberLevels {
  return levelsFrom(leaves.map(leafHash));
}

function levelsFrom(below: readonly string[]): MemberLevels {
  if (below.length <= 1) return [below];
  const above = below.flatMap((left, at) => {
    const right = below[at + 1];
    if (at % 2 === 1) return [];
    return [right === undefined ? left : nodeHash(left, right)];
  });
  return [below, ...levelsFrom(above)];
}

/** What the statement of a fleet says of all its members. */
export function membersRoot(levels: MemberLevels): string {
  const [root = digestText('')] = levels.slice(-1).flat();
  return root;
}

export function memberProof(levels: MemberLevels, index: number): MemberProof {
  const path = levels.flatMap((level, depth) => {
    const neighbour = level[(index >> depth) ^ 1];
    return neighbour === undefined ? [] : [neighbour];
  });
  return { index, size: levels.slice(0, 1).flat().length, path };
}

/** Whether the tree of this root has the leaf at the place that the proof names. */
export function isMember(root: string, leaf: MemberLeaf, proof: MemberProof): boolean {
  let [at, last, hash, used] = [proof.index, proof.size - 1, leafHash(leaf), 0];
  if (at < 0 || at > last) return false;
  for (; last > 0; at >>= 1, last >>= 1) {
    if (at === last && at % 2 === 0) continue;
    const neighbour = proof.path[used] ?? '';
    used += 1;
    hash = at % 2 === 0 ? nodeHash(hash, neighbour) : nodeHash(neighbour, hash);
  }
  return hash === root && used === proof.path.length;
}

/** A proof that came with a run; null for anything else. */
export function readMemberProof(value: unknown): MemberProof | null {
  if (typeof value !== 'object' || value === null) return null;
  const { index, size, path }: Readonly<Record<string, unknown>> = { ...value };
  const isCount = (given: unknown): given is number => Number.isSafeInteger(given);
  if (!isCount(index) || !isCount(size) || !Array.isArray(path)) return null;
  if (size > MOST_MEMBERS || path.length > DEEPEST) return null;
  const texts = path.filter((each) => typeof each === 'string');
  return texts.length === path.length ? { index, size, path: texts } : null;
}

/** Of a fleet that no workflow could carry. */
const DEEPEST = 24;
const MOST_MEMBERS = 2 ** DEEPEST;

function leafHash(leaf: MemberLeaf): string {
  return digestText(`member ${canonicalJson(leaf)}`);
}

function nodeHash(left: string, right: string): string {
  return digestText(`members ${left} ${right}`);
}
