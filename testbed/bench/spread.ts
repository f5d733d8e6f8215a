import { sum } from '../base/truth/ownership-log.js';

/** Distribution of many measurements, in their unit. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Null without measurements. */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = values.toSorted((one, other) => one - other);
  const max = sorted.at(-1);
  if (max === undefined) return null;
  return {
    count: sorted.length,
    mean: sum(sorted) / sorted.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max,
  };
}

/** Nearest rank: the smallest value that is not exceeded by the given share of all values. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
