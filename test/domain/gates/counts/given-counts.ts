import type { CountIncrement } from '../../../../domain/gates/counts/count-increment.js';
import { USUAL_COUNT_RULE, type CountRule } from '../../../../domain/gates/counts/count-rule.js';

export const STEP_MS = 1_000_000_000;
export const SCRAPE_MS = 15_000;

/** Twelve gates; 3 of 1,200 events were bad before. */
export const RULE: CountRule = {
  ...USUAL_COUNT_RULE,
  baseline: { bad: 3, total: 1200, dispersion: 1 },
  gates: 12,
};

/** A scrape each 15 s after the step, as pairs of bad and total. */
export function scrapesAfterStep(
  ...pairs: readonly (readonly [bad: number, total: number])[]
): readonly CountIncrement[] {
  return pairs.map(([bad, total], index) => ({
    atMs: STEP_MS + (index + 1) * SCRAPE_MS,
    bad,
    total,
  }));
}

export function repeated<T>(count: number, value: T): readonly T[] {
  return Array.from({ length: count }, () => value);
}

export function lastAtMs(window: readonly CountIncrement[]): number {
  return window.at(-1)?.atMs ?? STEP_MS;
}
