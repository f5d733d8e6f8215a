import { sha256Of } from '../digest.js';

/**
 * The hashes of a Merkle tree over the entries of a log, as RFC 6962, section 2.1, has them: `levels[k][i]` covers the 2^k entries
 * from i * 2^k on, and only whole ones are kept. Every earlier root can be told from them.
 */
export type TreeLevels = readonly (readonly Uint8Array[])[];

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function leafOf(entry: Uint8Array): Uint8Array {
  return sha256Of(joined(LEAF, entry));
}

/** Of a log with these leaves, oldest first. */
export function treeLevels(leaves: readonly Uint8Array[]): TreeLevels {
  const levels = [leaves];
  for (let below = leaves; below.length > 1;) {
    below = above(below);
    levels.push(below);
  }
  return levels;
}

function above(below: readonly Uint8Array[]): readonly Uint8Array[] {
  return below.flatMap((right, at) => {
    const left = below[at - 1];
    return at % 2 === 0 || left === undefined ? [] : [nodeOf(left, right)];
  });
}

/** The root when the log had `size` entries; null for more than it has. */
export function rootAt(levels: TreeLevels, size: number): Uint8Array | null {
  if (!isSizeOf(levels, size)) return null;
  let root: Uint8Array | null = null;
  let whole = size;
  for (const level of levels) {
    const last = whole % 2 === 1 ? level[whole - 1] : undefined;
    // The subtrees get larger from right to left.
    if (last !== undefined) root = root === null ? last : nodeOf(last, root);
    whole = Math.floor(whole / 2);
  }
  return root ?? sha256Of(new Uint8Array());
}

function isSizeOf([leaves]: TreeLevels, size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0 && size <= (leaves?.length ?? 0);
}

function nodeOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256Of(joined(NODE, left, right));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
