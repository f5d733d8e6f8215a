import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * `sha256:<hex>` of a text, as evidence, node files and plans name contents. Runs in the workflow sandbox too. Joined, not
 * concatenated: V8 keeps a concatenation as a tree of its parts, ten times the size of the text, for
 * as long as the digest is kept.
 */
export function digestText(text: string): string {
  const hex = Array.from(sha256(utf8ToBytes(text)), (byte) => HEX[byte]);
  return ['sha256:', ...hex].join('');
}

/** SHA-256 of bytes, as hashes of trees and other formats have it. */
export function sha256Of(bytes: Uint8Array): Uint8Array {
  return sha256(bytes);
}

/** Digest of plain JSON, whatever the order of its keys. */
export function digestJson(value: unknown): string {
  return digestText(canonicalJson(value));
}

/** JSON with sorted keys and no spaces; `undefined` members are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}
