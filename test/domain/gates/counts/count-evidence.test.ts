import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  evidenceOfHarm,
  evidenceOverLimit,
} from '../../../../domain/gates/counts/count-evidence.js';
import { randomStream } from '../../../../domain/fleet/random.js';

const BASE = { bad: 3, total: 1200 };

/** The definition, with the supremum searched for and the mixture multiplied up event by event. */
function evidenceByDefinition(base: typeof BASE, window: typeof BASE, tolerance: number): number {
  const log = (ratio: number, { bad, total }: typeof BASE): number =>
    (bad === 0 ? 0 : bad * Math.log(ratio)) + (total - bad) * Math.log(1 - ratio);
  let supremum = -Infinity;
  for (let at = 1; at < 200_000; at += 1) {
    const ratio = at / 200_000 / tolerance;
    supremum = Math.max(supremum, log(ratio, base) + log(ratio * tolerance, window));
  }
  return mixture(base) + mixture(window) - supremum;
}

function mixture({ bad, total }: typeof BASE): number {
  let sum = 0;
  for (let each = 0; each < bad; each += 1) sum += Math.log((each + 0.5) / (each + 1));
  for (let each = 0; each < total - bad; each += 1)
    sum += Math.log((each + 0.5) / (bad + each + 1));
  return sum;
}

describe('evidence that a window is worse than its baseline', () => {
  it.each([
    [{ bad: 2, total: 10 }, 1.5],
    [{ bad: 10, total: 10 }, 1.5],
    [{ bad: 17, total: 41 }, 1],
    [{ bad: 30, total: 400 }, 2],
  ])('is what the definition gives for %p at tolerance %d', (window, tolerance) => {
    const known = evidenceByDefinition(BASE, window, tolerance);
    expect(evidenceOfHarm(BASE, window, tolerance)).toBeCloseTo(known, 2);
  });

  it.each([
    ['without events', { bad: 0, total: 0 }],
    ['without errors', { bad: 0, total: 500 }],
    ['at the tolerated ratio', { bad: 3, total: 800 }],
  ])('is none %s', (_, window) => {
    expect(evidenceOfHarm(BASE, window, 1.5)).toBe(0);
  });

  it('is none without a baseline', () => {
    expect(evidenceOfHarm({ bad: 0, total: 0 }, { bad: 9, total: 9 }, 1.5)).toBe(0);
  });

  it('is none where a window is worse by less than the mixture costs', () => {
    expect(evidenceOfHarm(BASE, { bad: 1, total: 250 }, 1.5)).toBe(0);
  });

  it('exceeds 1/α ever in a growing window of the same ratio in at most α of the cases', () => {
    const random = randomStream(1);
    let alarms = 0;
    for (let sample = 0; sample < 400; sample += 1) {
      const base = { bad: drawn(200, 0.1, random), total: 200 };
      let [bad, alarmed] = [0, false];
      for (let total = 1; total <= 300; total += 1) {
        bad += drawn(1, 0.1, random);
        alarmed ||= evidenceOfHarm(base, { bad, total }, 1) >= Math.log(1 / 0.1);
      }
      if (alarmed) alarms += 1;
    }
    expect(alarms).toBeLessThanOrEqual(40);
  });

  it('is a number where a ratio rounds to 1', () => {
    const window = { bad: 9_007_199_254_739_356, total: 9_007_199_254_739_469 };
    expect(Number.isFinite(evidenceOfHarm({ bad: 0, total: 1 }, window, 1.0437))).toBe(true);
  });

  it('is a number for all counts', () => {
    const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    const counts = fc.tuple(count, count).map(([one, other]) => ({
      bad: Math.min(one, other),
      total: Math.max(one, other),
    }));
    fc.assert(
      fc.property(
        counts,
        counts,
        fc.double({ min: 1, max: 3, noNaN: true }),
        (base, window, tolerance) => {
          expect(Number.isFinite(evidenceOfHarm(base, window, tolerance))).toBe(true);
          expect(Number.isFinite(evidenceOverLimit(window, 0.05))).toBe(true);
        },
      ),
    );
  });
});

function drawn(count: number, ratio: number, random: () => number): number {
  return Array.from({ length: count }, random).filter((each) => each < ratio).length;
}

describe('evidence that a window is above a limit', () => {
  it('is the likelihood of its own ratio by that of the limit, less the regret', () => {
    // 2 of 2: the mixture gives 3/8, the limit 1/100.
    expect(evidenceOverLimit({ bad: 2, total: 2 }, 0.1)).toBeCloseTo(Math.log(37.5), 10);
  });

  it('is none at the limit', () => {
    expect(evidenceOverLimit({ bad: 1, total: 10 }, 0.1)).toBe(0);
  });
});
