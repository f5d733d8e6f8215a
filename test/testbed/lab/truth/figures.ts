import type { ClaimId } from '../../../proven/claims.js';

/** Prints a figure that a run measured, for docs/truth.md; no assertion uses it. */
export function figure(claim: ClaimId, what: string, value: number | string): void {
  const text = typeof value === 'number' ? value.toFixed(value < 1 ? 3 : 1) : value;
  process.stderr.write(`truth ${claim}: ${what}: ${text}\n`);
}
