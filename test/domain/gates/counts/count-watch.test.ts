import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CountIncrement } from '../../../../domain/gates/counts/count-increment.js';
import { judgeCounts, judgeWatch } from '../../../../domain/gates/counts/count-verdict.js';
import {
  afterScrape,
  atOwnStep,
  watchFrom,
  type CountWatch,
} from '../../../../domain/gates/counts/count-watch.js';
import { lastAtMs, repeated, RULE, scrapesAfterStep, SCRAPE_MS, STEP_MS } from './given-counts.js';

function watched(window: readonly CountIncrement[], from = watchFrom(STEP_MS)): CountWatch {
  return window.reduce((watch, scrape) => afterScrape(watch, RULE, scrape, scrape.atMs), from);
}

const pair = fc
  .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }))
  .map(([bad, good]) => [bad, bad + good] as const);
const quietPair = fc.integer({ min: 0, max: 20 }).map((good) => [0, good] as const);
const windows = fc
  .array(fc.oneof({ weight: 4, arbitrary: quietPair }, { weight: 1, arbitrary: pair }), {
    ...{ minLength: 1, maxLength: 60 },
  })
  .map((pairs) => scrapesAfterStep(...pairs));

describe('a watch that is carried along', () => {
  it('says after JSON and scrape by scrape what is said from the beginning', () => {
    fc.assert(
      fc.property(windows, (window) => {
        const carried = window.reduce<CountWatch>(
          (watch, scrape) =>
            JSON.parse(JSON.stringify(afterScrape(watch, RULE, scrape, scrape.atMs))) as CountWatch,
          watchFrom(STEP_MS),
        );
        const nowMs = lastAtMs(window);
        expect(judgeWatch(carried, RULE, nowMs)).toEqual(judgeCounts(RULE, STEP_MS, window, nowMs));
      }),
      { numRuns: 50 },
    );
  });

  it('fits a heartbeat after a week', () => {
    const week = scrapesAfterStep(...repeated((7 * 86_400_000) / SCRAPE_MS, [1, 1000] as const));
    const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((hour) => STEP_MS + hour * 3_600_000);
    let watch = watchFrom(STEP_MS);
    for (const scrape of week) {
      while (steps[0] !== undefined && steps[0] < scrape.atMs)
        watch = atOwnStep(watch, steps.shift() ?? 0);
      watch = afterScrape(watch, RULE, scrape, scrape.atMs);
    }
    expect(watch.others.length).toBeLessThanOrEqual(28);
    expect(watch.earlier).toHaveLength(7);
    expect(JSON.stringify(watch).length).toBeLessThan(2500);
  });

  it('opens no window in silence, in which an older one shows the same', () => {
    const silent = scrapesAfterStep(...repeated(100, [0, 0] as const));
    expect(watched(silent).others).toHaveLength(0);
    const busy = scrapesAfterStep(...repeated(9, [0, 1] as const));
    expect(watched(busy).others).toHaveLength(2);
  });

  it('keeps a window near each age', () => {
    const { others, lastAtMs: nowMs } = watched(
      scrapesAfterStep(...repeated(5760, [0, 1] as const)),
    );
    const ages = others.map(([atMs]) => nowMs - atMs).filter((age) => age > 0);
    const ratios = ages.slice(1).map((age, index) => (ages[index] ?? 0) / age);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(2);
    expect(ages.length).toBeGreaterThan(10);
    expect(Math.max(...ages)).toBeGreaterThan(23 * 3_600_000);
  });

  it('finds harm at any minute as well as at a step', () => {
    const good = repeated(1200, [0, 5] as const);
    const window = scrapesAfterStep(...good, ...repeated(8, [5, 5] as const));
    expect(watched(window).failed).not.toBeNull();
  });

  it('begins a window at each step of ours', () => {
    const before = watched(scrapesAfterStep(...repeated(400, [0, 5] as const)));
    const stepped = atOwnStep(before, before.lastAtMs);
    const harmed = [1, 2, 3].reduce(
      (watch, index) =>
        afterScrape(
          watch,
          RULE,
          { atMs: before.lastAtMs + index * SCRAPE_MS, bad: 5, total: 5 },
          before.lastAtMs + index * SCRAPE_MS,
        ),
      stepped,
    );
    expect(harmed.failed?.start.slice(0, 4)).toEqual([before.lastAtMs, harmed.latest[1], 15, 15]);
    expect(judgeWatch(stepped, RULE, before.lastAtMs + 120_001)).toMatchObject({
      fault: 'noScrape',
    });
  });

  it('passes only on what was seen since the latest step', () => {
    const before = watched(scrapesAfterStep(...repeated(40, [0, 5] as const)));
    const stepped = atOwnStep(before, before.lastAtMs);
    const atMs = before.lastAtMs + SCRAPE_MS;
    const after = afterScrape(stepped, RULE, { atMs, bad: 0, total: 2 }, atMs);
    expect(judgeWatch(before, RULE, before.lastAtMs).kind).toBe('pass');
    expect(judgeWatch(after, RULE, atMs).kind).toBe('quiet');
  });

  it('gives all windows together no more than the chance to alarm falsely', () => {
    let watch = watchFrom(STEP_MS);
    const shares = [watch.latest[1]];
    for (let index = 1; index < 400; index += 1) {
      const atMs = STEP_MS + index * 60_000;
      watch = atOwnStep(watch, atMs - 1);
      watch = afterScrape(watch, RULE, { atMs, bad: 0, total: 1 }, atMs);
      shares.push(watch.latest[1]);
    }
    const minutes = watched(scrapesAfterStep(...repeated(4000, [0, 1] as const))).minutes;
    const others = Array.from(
      { length: minutes },
      (_, index) => (1 / Math.log2(index + 2) - 1 / Math.log2(index + 3)) / 2,
    );
    const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
    expect(sum(shares.map(Math.exp))).toBeLessThanOrEqual(0.5);
    expect(sum(others)).toBeLessThanOrEqual(0.5);
  });
});

const RANKS = { quiet: 0, few: 0, pass: 0, suspect: 1, fail: 2, unmeasured: 3 };

describe('properties of counted events', () => {
  it('more errors never make a window less suspect', () => {
    fc.assert(
      fc.property(windows, fc.nat(), (window, at) => {
        const index = at % window.length;
        const more = window.map((each, place) =>
          place === index && each.bad < each.total ? { ...each, bad: each.bad + 1 } : each,
        );
        const nowMs = lastAtMs(window);
        const [before, after] = [window, more].map(
          (counts) => RANKS[judgeCounts(RULE, STEP_MS, counts, nowMs).kind],
        );
        expect(after).toBeGreaterThanOrEqual(Number(before));
      }),
      { numRuns: 300 },
    );
  });

  it('processes that are scraped together may come in any order and in any split', () => {
    fc.assert(
      fc.property(windows, fc.nat(), (window, at) => {
        const split = window.flatMap((each, place) => {
          const [bad, total] = [Math.min(each.bad, at % 3), Math.min(each.bad, at % 3) + 0];
          const parts = [
            { ...each, bad, total },
            { ...each, bad: each.bad - bad, total: each.total - total },
          ];
          return place % 2 === 0 ? parts : parts.toReversed();
        });
        const nowMs = lastAtMs(window);
        expect(judgeCounts(RULE, STEP_MS, split, nowMs)).toEqual(
          judgeCounts(RULE, STEP_MS, window, nowMs),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('counts up to the largest give numbers', () => {
    const huge = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    const pairs = fc.array(
      fc
        .tuple(huge, huge)
        .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(pairs, (given) => {
        const window = scrapesAfterStep(...given);
        const verdict = judgeCounts(RULE, STEP_MS, window, lastAtMs(window));
        expect(JSON.stringify(verdict, nanToText)).not.toContain('not finite');
      }),
      { numRuns: 100 },
    );
  });
});

function nanToText(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? 'not finite' : value;
}
