import { describe, expect, it } from '@jest/globals';
import type { CountIncrement } from '../../../../domain/gates/counts/count-increment.js';
import type { CountRule } from '../../../../domain/gates/counts/count-rule.js';
import {
  judgeCounts,
  judgeWatch,
  verdictOfCounts,
  type CountVerdict,
} from '../../../../domain/gates/counts/count-verdict.js';
import { afterScrape, watchFrom } from '../../../../domain/gates/counts/count-watch.js';
import { seenText } from '../../../../domain/gates/counts/visible-harm.js';
import { lastAtMs, repeated, RULE, scrapesAfterStep, SCRAPE_MS, STEP_MS } from './given-counts.js';

type Pairs = readonly (readonly [number, number])[];

function judged(pairs: Pairs, rule: CountRule = RULE): CountVerdict {
  const window = scrapesAfterStep(...pairs);
  return judgeCounts(rule, STEP_MS, window, lastAtMs(window));
}

function numbersOf(pairs: Pairs, rule: CountRule = RULE) {
  const verdict = judged(pairs, rule);
  if (verdict.kind === 'unmeasured') throw new Error(verdict.fault);
  return verdict.numbers;
}

const GOOD = repeated(20, [0, 5] as const);
const LIMITED = { ...RULE, limit: 0.3 };
const ONLY_LIMIT = { ...LIMITED, baseline: null };

describe('the verdict on counted events', () => {
  it.each<[string, Pairs, CountVerdict['kind'], CountRule]>([
    ['nothing was counted', [[0, 0]], 'quiet', RULE],
    ['few events are all good', repeated(3, [0, 1]), 'quiet', RULE],
    ['enough events are all good', GOOD, 'pass', RULE],
    [
      'errors are as many as ever',
      [...GOOD, [1, 5], ...repeated(60, [0, 5] as const)],
      'pass',
      RULE,
    ],
    [
      'one of few is bad',
      [
        [0, 1],
        [0, 1],
        [1, 1],
      ],
      'few',
      { ...RULE, baseline: { bad: 60, total: 1200, dispersion: 1 } },
    ],
    ['everything fails in one scrape', [...GOOD, [5, 5]], 'suspect', RULE],
    ['everything fails in two scrapes', [...GOOD, [5, 5], [5, 5]], 'suspect', RULE],
    ['everything fails in three scrapes', repeated(3, [5, 5]), 'fail', RULE],
    ['all three events of three scrapes fail', repeated(3, [1, 1]), 'suspect', RULE],
    ['a fifth fails for two minutes', repeated(8, [1, 5]), 'suspect', RULE],
    ['a fifth fails for eight minutes', repeated(32, [1, 5]), 'fail', RULE],
    [
      'a burst of a minute comes among good events',
      [...GOOD, ...repeated(4, [6, 15] as const)],
      'suspect',
      RULE,
    ],
    [
      'less than the floor fails',
      repeated(200, [4, 500]),
      'pass',
      { ...RULE, baseline: { bad: 0, total: 9000, dispersion: 1 } },
    ],
    ['everything fails and only a limit is known', repeated(6, [5, 5]), 'fail', ONLY_LIMIT],
    ['all is good and only a limit is known', [...GOOD, ...GOOD], 'pass', ONLY_LIMIT],
    ['both are known and the limit is far exceeded', repeated(6, [5, 5]), 'fail', LIMITED],
  ])('%s: %#', (_, pairs, kind, rule) => {
    expect(judged(pairs, rule).kind).toBe(kind);
  });

  it('fails by the limit what is usual for the cluster', () => {
    const rule = { ...RULE, baseline: { bad: 900, total: 1200, dispersion: 1 } };
    const pairs = repeated(40, [4, 5] as const);
    expect(judged(pairs, rule).kind).not.toBe('fail');
    expect(judged(pairs, { ...rule, limit: 0.3 }).kind).toBe('fail');
  });

  it('weakens what errors prove where they come in clusters', () => {
    const clustered = { ...RULE, baseline: { bad: 3, total: 1200, dispersion: 8 } };
    expect(judged(repeated(3, [5, 5]), clustered).kind).toBe('suspect');
  });

  it('keeps a failure after good events', () => {
    const numbers = numbersOf([...repeated(3, [5, 5] as const), ...repeated(400, [0, 5] as const)]);
    expect(judged([...repeated(3, [5, 5] as const), ...repeated(400, [0, 5] as const)]).kind).toBe(
      'fail',
    );
    expect(numbers).toMatchObject({
      bad: 15,
      events: 15,
      window: { toMs: STEP_MS + 3 * SCRAPE_MS },
    });
  });

  it('tells a failure as it was first shown', () => {
    const numbers = numbersOf(repeated(20, [5, 5]));
    expect(numbers).toMatchObject({ events: 15, window: { toMs: STEP_MS + 3 * SCRAPE_MS } });
  });

  it('does not fail for two scrapes apart from each other, however many errors they have', () => {
    expect(judged([[200, 200], ...repeated(9, [0, 0] as const), [200, 200]]).kind).toBe('suspect');
  });

  it('ends a suspicion after enough good events and eight scrapes', () => {
    const blip = [...GOOD, [5, 5] as const];
    expect(judged([...blip, ...repeated(9, [0, 5] as const)]).kind).toBe('suspect');
    expect(judged([...blip, ...repeated(10, [0, 5] as const)]).kind).toBe('pass');
  });

  it('keeps a suspicion for as long as too few good events came after the errors', () => {
    const blip = [...GOOD, [5, 5] as const];
    expect(judged([...blip, ...repeated(60, [0, 0] as const), [0, 5]]).kind).toBe('suspect');
  });

  it('tolerates twice as much of a baseline that is six hours old', () => {
    const rule = { ...RULE, baseline: { bad: 2000, total: 100_000, dispersion: 1 } };
    const old = scrapesAfterStep(
      ...repeated(1600, [0, 0] as const),
      ...repeated(80, [5, 100] as const),
    );
    const fresh = repeated(80, [5, 100] as const);
    expect(judged(fresh, rule).kind).toBe('fail');
    expect(judgeCounts(rule, STEP_MS, old, lastAtMs(old)).kind).not.toBe('fail');
  });

  it('says with which numbers it was reached', () => {
    const numbers = numbersOf([...GOOD, ...repeated(3, [5, 5] as const)], LIMITED);
    expect(numbers).toMatchObject({
      ...{ limit: 0.3, needed: 1200, badScrapes: 3, bad: 15, dispersion: 1 },
      baseline: { bad: 3, total: 1200 },
    });
    expect(numbers.value).toBeCloseTo(15 / numbers.events, 12);
    expect(numbers.oneIn).toBeGreaterThan(1200);
    expect(numbers.oneInWithoutWorst).toBeLessThan(numbers.oneIn);
  });

  it('has no value without events and no dispersion without a baseline', () => {
    const numbers = numbersOf([[0, 0]], ONLY_LIMIT);
    expect(numbers).toMatchObject({ value: null, baseline: null, dispersion: 1, oneIn: 1 });
  });

  it('counts two processes at the same time as one scrape', () => {
    const window = repeated(3, null).flatMap((_, index) => {
      const atMs = STEP_MS + (index < 2 ? SCRAPE_MS : 2 * SCRAPE_MS);
      return [{ atMs, bad: 5, total: 5 }];
    });
    expect(judgeCounts(RULE, STEP_MS, window, lastAtMs(window))).toMatchObject({
      kind: 'suspect',
      numbers: { bad: 15, badScrapes: 2 },
    });
  });
});

describe('counts that cannot be judged', () => {
  const fine = { atMs: STEP_MS + SCRAPE_MS, bad: 0, total: 50 };
  const next = { ...fine, atMs: fine.atMs + SCRAPE_MS };

  it.each<[string, readonly CountIncrement[]]>([
    ['notANumber', [{ ...fine, bad: Number.NaN }]],
    ['notANumber', [{ ...fine, total: Infinity }]],
    ['notANumber', [{ ...fine, atMs: Number.NaN }]],
    ['negative', [{ ...fine, bad: -1 }]],
    ['negative', [{ ...fine, total: -1, bad: -2 }]],
    ['moreBadThanTotal', [{ ...fine, bad: 51 }]],
    ['tooLarge', [{ ...fine, total: 2 ** 53 }]],
    ['outOfOrder', [next, fine]],
    ['fromTheFuture', [{ ...fine, atMs: next.atMs + 1 }]],
    ['beforeTheWindow', [{ ...fine, atMs: STEP_MS }]],
  ])('are unmeasured: %s (%#)', (fault, window) => {
    const verdict = judgeCounts(RULE, STEP_MS, window, next.atMs);
    expect(verdict).toEqual({ kind: 'unmeasured', fault });
    expect(verdictOfCounts(verdict)).toBe('error');
  });

  it.each<[string, readonly CountIncrement[], number, CountRule]>([
    ['noScrape', [], STEP_MS + 120_001, RULE],
    ['stale', [fine], fine.atMs + 120_001, RULE],
    ['nothingToCompareWith', [fine], fine.atMs, { ...RULE, baseline: null }],
    [
      'nothingToCompareWith',
      [fine],
      fine.atMs,
      { ...RULE, baseline: { bad: 0, total: 0, dispersion: 1 } },
    ],
  ])('have no data: %s (%#)', (fault, window, nowMs, rule) => {
    const verdict = judgeCounts(rule, STEP_MS, window, nowMs);
    expect(verdict).toEqual({ kind: 'unmeasured', fault });
    expect(verdictOfCounts(verdict)).toBe('noData');
  });

  it.each<Partial<CountRule>>([
    { limit: Number.NaN },
    { limit: 0 },
    { limit: 1 },
    { tolerance: 0.9 },
    { tolerance: Number.NaN },
    { leastRatio: 0 },
    { falseAlarms: 0 },
    { gates: 0 },
    { suspicion: Number.NaN },
    { mustShow: 1 },
    { staleAfterMs: Number.NaN },
    { baseline: { bad: 2, total: 1, dispersion: 1 } },
    { baseline: { bad: -1, total: 1, dispersion: 1 } },
    { baseline: { bad: 0, total: Infinity, dispersion: 1 } },
    { baseline: { bad: 0, total: 10, dispersion: Number.NaN } },
  ])('are unmeasured where the rule is unusable: %p', (change) => {
    expect(judged(GOOD, { ...RULE, ...change })).toEqual({
      kind: 'unmeasured',
      fault: 'unusableRule',
    });
  });

  it.each([Number.NaN, STEP_MS - 1])('are unmeasured at the time %d', (nowMs) => {
    const verdict = judgeWatch(watchFrom(STEP_MS), RULE, nowMs);
    expect(verdict).toEqual({ kind: 'unmeasured', fault: 'fromTheFuture' });
  });

  it('count nothing and are told until the next good scrape', () => {
    const faulty = afterScrape(watchFrom(STEP_MS), RULE, { ...fine, bad: 60 }, next.atMs);
    expect(judgeWatch(faulty, RULE, fine.atMs).kind).toBe('unmeasured');
    const healed = afterScrape(faulty, RULE, next, next.atMs);
    expect(judgeWatch(healed, RULE, next.atMs)).toMatchObject({ numbers: { bad: 0, events: 50 } });
  });

  it('leave a failure a failure', () => {
    const window = scrapesAfterStep(...repeated(3, [5, 5] as const));
    const verdict = judgeCounts(RULE, STEP_MS, window, lastAtMs(window) + 3_600_000);
    expect(verdict.kind).toBe('fail');
  });
});

describe('the word of a gate for counts', () => {
  it.each<[string, Pairs]>([
    ['pass', GOOD],
    ['fail', repeated(3, [5, 5])],
    ['inconclusive', [[0, 1]]],
    ['inconclusive', [...GOOD, [5, 5]]],
  ])('is %s', (word, pairs) => {
    expect(verdictOfCounts(judged(pairs))).toBe(word);
  });

  it('is inconclusive where few events have an error', () => {
    const { numbers } = judged(GOOD) as Extract<CountVerdict, { kind: 'pass' }>;
    expect(verdictOfCounts({ kind: 'few', numbers })).toBe('inconclusive');
  });
});

describe('what a gate could have seen', () => {
  it('is less harm the more events there were', () => {
    const harms = [5, 20, 100].map((count) => numbersOf(repeated(count, [0, 5])).seen.harm ?? 9);
    expect(harms.toSorted((one, other) => other - one)).toEqual(harms);
    expect(harms.every((harm) => harm < 0.5)).toBe(true);
  });

  it('is nothing where even errors in every event would not be suspect', () => {
    expect(
      numbersOf([[0, 1]], { ...RULE, baseline: { bad: 30, total: 60, dispersion: 8 } }).seen,
    ).toEqual({
      ...{ bad: 0, total: 1, harm: null },
    });
  });

  it('is 95 % where one event would have been enough', () => {
    const rule = { ...RULE, suspicion: 0.5, baseline: { bad: 0, total: 1e6, dispersion: 1 } };
    expect(numbersOf([[0, 1]], rule).seen.harm).toBeCloseTo(0.95, 6);
  });

  it('would have been suspect in 19 of 20 windows with that harm', () => {
    const { harm } = numbersOf(repeated(7, [0, 5])).seen;
    const least = [1, 2, 3, 4, 5].find((bad) => {
      const pairs = repeated(7, 0).map((_, index) => [index < bad ? 1 : 0, 5] as const);
      return judged(pairs).kind === 'suspect';
    });
    expect(least).toBeDefined();
    const missed = Array.from({ length: Number(least) }, (_, bad) =>
      binomial(35, bad, Number(harm)),
    );
    expect(missed.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(0.05);
  });

  it.each([
    [0, 34, 0.1, '0 of 34 events: harm of 10 % would show'],
    [1, 1, 0.9311, '1 of 1 event: harm of 94 % would show'],
    [0, 0, null, '0 of 0 events: no harm would show'],
  ])('reads plainly: %d of %d', (bad, total, harm, text) => {
    expect(seenText(bad, total, harm)).toBe(text);
  });
});

function binomial(total: number, bad: number, ratio: number): number {
  let ways = 1;
  for (let each = 0; each < bad; each += 1) ways *= (total - each) / (each + 1);
  return ways * ratio ** bad * (1 - ratio) ** (total - bad);
}
