import type { ClaimId } from '../../proven/claims.js';

/** Says a figure that a run saw, for docs/truth.md; nothing is judged by it. */
export function figure(claim: ClaimId, what: string, value: number | string): void {
  const text = typeof value === 'number' ? value.toFixed(value < 1 ? 3 : 1) : value;
  process.stderr.write(`truth ${claim}: ${what}: ${text}\n`);
}
