import { digestJson } from '../../domain/digest.js';

/** Digest of rows in the order of their first column, whatever order they came in. */
export function digestRows(rows: readonly (readonly [string, ...unknown[]])[]): string {
  return digestJson([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}
