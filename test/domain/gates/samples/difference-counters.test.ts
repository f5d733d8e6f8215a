import { describe, expect, it } from '@jest/globals';
import {
  CLOCK_TOLERANCE_MS,
  type CountSample,
  differenceCounters,
} from '../../../../domain/gates/samples/difference-counters.js';
import { measured, unmeasured } from '../../../../domain/gates/samples/measurement.js';

const START = 1_790_000_000_000;
const BEFORE = START + 600_000;
const NOW = BEFORE + 15_000;
const CLOCK = { nowMs: NOW, staleAfterMs: 60_000 };

function sample(change: Partial<CountSample> = {}): CountSample {
  return {
    place: 'kcm on cp-1',
    startedAtMs: START,
    scrapedAtMs: BEFORE,
    counts: measured({ bad: 10, total: 100 }),
    ...change,
  };
}

const next = (change: Partial<CountSample> = {}): CountSample =>
  sample({ scrapedAtMs: NOW, counts: measured({ bad: 12, total: 130 }), ...change });
const because = (why: string): object => ({
  kind: 'unmeasured',
  why: expect.stringContaining(why),
});

describe('what a process counted between two scrapes', () => {
  it('is the difference of its counters, at the time of the later one', () => {
    const increment = { atMs: NOW, bad: 2, total: 30 };
    const base = next();
    expect(differenceCounters(sample(), base, CLOCK)).toEqual({ kind: 'counted', increment, base });
  });

  it.each([
    ['by nothing', 0],
    ['by a correction of the clock', 900],
    ['backwards by such a correction', -900],
  ])('stays that of one process when its start moves %s', (_name, ms) => {
    const moved = next({ startedAtMs: START + ms });
    expect(differenceCounters(sample(), moved, CLOCK)).toMatchObject({ kind: 'counted' });
  });

  it('is nothing more when the same scrape is seen again', () => {
    const previous = sample();
    const again = differenceCounters(previous, sample(), CLOCK);
    expect(again).toMatchObject({ kind: 'same', base: previous });
    const unread = sample({ counts: unmeasured('gone') });
    expect(differenceCounters(unread, unread, CLOCK)).toMatchObject({ kind: 'same' });
  });

  it.each([
    ['more bad events', { counts: measured({ bad: 11, total: 100 }) }],
    ['more events', { counts: measured({ bad: 10, total: 101 }) }],
    ['another process', { startedAtMs: START + 5000 }],
    ['no counts', { counts: unmeasured('gone') }],
  ])('is unmeasured when the same scrape has %s', (_name, change) => {
    const previous = sample();
    expect(differenceCounters(previous, sample(change), CLOCK)).toMatchObject({
      ...because('two answers for the same scrape'),
      base: previous,
    });
  });
});

describe('a restart', () => {
  it('begins again: what the new process counted, it counted since', () => {
    const base = next({ startedAtMs: BEFORE + 1, counts: measured({ bad: 1, total: 3 }) });
    expect(differenceCounters(sample(), base, CLOCK)).toMatchObject({
      kind: 'restarted',
      increment: { atMs: NOW, bad: 1, total: 3 },
      base,
    });
  });

  it('counts nothing where it may have happened before the previous scrape', () => {
    const base = next({ startedAtMs: BEFORE - CLOCK_TOLERANCE_MS });
    expect(differenceCounters(sample(), base, CLOCK)).toMatchObject({
      kind: 'restarted',
      increment: null,
      base,
    });
  });

  it.each([
    ['bad events', { bad: 9, total: 130 }],
    ['all events', { bad: 10, total: 99 }],
  ])('counts nothing where the counter of %s fell within one process', (_name, counts) => {
    const base = next({ counts: measured(counts) });
    expect(differenceCounters(sample(), base, CLOCK)).toMatchObject({
      kind: 'restarted',
      why: 'a counter fell, so it was reset',
      increment: null,
      base,
    });
  });

  it('is none where another process answers that ran before: replicas behind one address', () => {
    const base = next({ startedAtMs: BEFORE - CLOCK_TOLERANCE_MS - 1 });
    const answer = differenceCounters(sample(), base, CLOCK);
    expect(answer).toMatchObject({ ...because('another process answers'), base });
  });

  it('after which nothing was read is differenced from the new process', () => {
    const base = next({ startedAtMs: BEFORE + 1, counts: unmeasured('gone') });
    expect(differenceCounters(sample(), base, CLOCK)).toEqual({ ...because('gone'), base });
  });
});

describe('a sample that is no measurement', () => {
  it.each([
    ['its counts are not numbers', { counts: unmeasured('NaN') }, 'NaN'],
    ['it is of another place', { place: 'kcm on cp-2' }, 'kcm on cp-2 is not kcm on cp-1'],
    [
      'it is from the future',
      { scrapedAtMs: NOW + CLOCK_TOLERANCE_MS + 1 },
      '5001 ms in the future',
    ],
    ['its time is not a number', { scrapedAtMs: Number.NaN }, 'NaN ms old'],
    ['it is older than the previous one', { scrapedAtMs: BEFORE - 1 }, 'older than the previous'],
    [
      'its process started after it',
      { startedAtMs: NOW + CLOCK_TOLERANCE_MS + 1 },
      'started after it was scraped',
    ],
    ['bad events outgrew all events', { counts: measured({ bad: 14, total: 103 }) }, 'contradict'],
  ])('leaves the previous one in place when %s', (_name, change, why) => {
    const previous = sample();
    const difference = differenceCounters(previous, next(change), CLOCK);
    expect(difference).toEqual({ ...because(why), base: previous });
  });

  it('is a scrape that is older than allowed, and not one at the limit', () => {
    const previous = sample();
    const at = (nowMs: number): unknown =>
      differenceCounters(previous, next(), { ...CLOCK, nowMs }).kind;
    expect(at(NOW + 60_000)).toBe('counted');
    expect(at(NOW + 60_001)).toBe('unmeasured');
  });

  it('is none from the future within what clocks may differ', () => {
    const ahead = differenceCounters(sample(), next(), {
      ...CLOCK,
      nowMs: NOW - CLOCK_TOLERANCE_MS,
    });
    expect(ahead.kind).toBe('counted');
  });

  it('before a measured one gives it nothing to be differenced from', () => {
    const base = next();
    const previous = sample({ counts: unmeasured('gone') });
    expect(differenceCounters(previous, base, CLOCK)).toEqual({ ...because('before it'), base });
  });
});
