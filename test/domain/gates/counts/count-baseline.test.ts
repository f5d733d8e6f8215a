import { describe, expect, it } from '@jest/globals';
import {
  countBaselineOf,
  lifetimeBaseline,
} from '../../../../domain/gates/counts/count-baseline.js';
import { repeated, scrapesAfterStep, STEP_MS } from './given-counts.js';

const LATER_MS = STEP_MS + 86_400_000;

function baselineFrom(...pairs: readonly (readonly [number, number])[]) {
  const made = countBaselineOf(scrapesAfterStep(...pairs), LATER_MS);
  if (made.kind === 'unmeasured') throw new Error(made.fault);
  return made.baseline;
}

describe('a baseline from past scrapes', () => {
  it('sums their counts', () => {
    expect(baselineFrom([1, 10], [0, 5])).toMatchObject({ bad: 1, total: 15 });
  });

  it.each<[string, readonly (readonly [number, number])[]]>([
    ['nothing was counted', []],
    ['one scrape counted', [[1, 10]]],
    ['nothing was bad', repeated(50, [0, 10] as const)],
    ['everything was bad', repeated(50, [10, 10] as const)],
    ['errors are spread evenly', repeated(50, [1, 10] as const)],
  ])('has dispersion 1 where %s', (_, pairs) => {
    expect(baselineFrom(...pairs).dispersion).toBe(1);
  });

  it('is dispersed where errors come in one scrape of ten', () => {
    const { dispersion } = baselineFrom(
      ...repeated(10, [[5, 10] as const, ...repeated(9, [0, 10] as const)]).flat(),
    );
    // Expected 0.5 a scrape, variance 0.475: ten squares of 4.5 and ninety of 0.5. 50 errors weigh 50/55.
    const pearson = (10 * 4.5 ** 2 + 90 * 0.5 ** 2) / 0.475 / 99;
    expect(dispersion).toBeCloseTo(1 + (pearson - 1) * (50 / 55), 10);
  });

  it('finds bursts that are longer than a scrape', () => {
    const burst = [...repeated(20, [1, 2] as const), ...repeated(60, [0, 2] as const)];
    const long = baselineFrom(...repeated(10, burst).flat()).dispersion;
    expect(long).toBeGreaterThan(5);
  });

  it('has a dispersion of at most 8', () => {
    const pairs = [...repeated(100, [50, 50] as const), ...repeated(100, [0, 50] as const)];
    expect(baselineFrom(...pairs).dispersion).toBe(8);
  });

  it('does not take one scrape with two errors for clusters', () => {
    const pairs = [[2, 5] as const, ...repeated(239, [0, 5] as const)];
    expect(baselineFrom(...pairs).dispersion).toBeLessThan(1.5);
  });

  it('is unmeasured where an increment is faulty', () => {
    const made = countBaselineOf(scrapesAfterStep([1, 10], [3, 2]), LATER_MS);
    expect(made).toEqual({ kind: 'unmeasured', fault: 'moreBadThanTotal' });
  });
});

describe('a baseline that is not of the past', () => {
  it('is unmeasured', () => {
    const made = countBaselineOf(scrapesAfterStep([0, 10]), STEP_MS);
    expect(made).toEqual({ kind: 'unmeasured', fault: 'fromTheFuture' });
  });
});

describe('a baseline from lifetime counters', () => {
  it('weighs no more than 2,000 events', () => {
    const made = lifetimeBaseline({ atMs: STEP_MS, bad: 2000, total: 1_000_000 }, LATER_MS);
    expect(made).toEqual({
      kind: 'known',
      baseline: { bad: 4, total: 2000, dispersion: 1.25 },
    });
  });

  it.each([0, 1, 2000])('of %d events weighs as many', (total) => {
    const made = lifetimeBaseline({ atMs: STEP_MS, bad: 0, total }, LATER_MS);
    expect(made).toMatchObject({ baseline: { total } });
  });

  it('is unmeasured where a counter is not a number', () => {
    const made = lifetimeBaseline({ atMs: STEP_MS, bad: 0, total: Number.NaN }, LATER_MS);
    expect(made).toEqual({ kind: 'unmeasured', fault: 'notANumber' });
  });
});
