import { describe, expect, it } from '@jest/globals';
import { holdsRun } from '../../../../domain/gates/verdicts.js';
import { EMPTY_BOOK } from '../../../../domain/gates/watch/gate-book.js';
import { isExposed } from '../../../../domain/gates/watch/measured-values.js';
import {
  addGiven,
  BEGAN,
  booked,
  ERRORS,
  gatesNamed,
  judgedAt,
  LATENCY,
  only,
  POLICY,
  SECOND,
  steady,
  STUCK,
  syncs,
} from './given-rounds.js';

const AWS = gatesNamed('awsApiErrors');

describe('gates that count', () => {
  it('are unmeasured before anything was read', () => {
    expect(only(EMPTY_BOOK, ERRORS, 0)).toMatchObject({ verdict: 'error', code: 'CCM3103' });
  });

  it('are unmeasured when nothing was read for too long, and hold', () => {
    const verdict = only(booked(ERRORS, steady(3, 0, 5)), ERRORS, 200);
    expect(verdict).toMatchObject({ verdict: 'error', detail: 'not read for 170 s' });
    expect(holdsRun({ verdict: 'error' })).toBe(true);
  });

  it('pass with events enough to show harm', () => {
    const verdict = only(booked(ERRORS, steady(20, 0, 10)), ERRORS, 290);
    expect(verdict).toMatchObject({
      ...{ verdict: 'pass', code: 'CCM3101' },
      numbers: { unit: 'ratio', counted: { bad: 0, before: { bad: 0, events: 1_000 } } },
    });
  });

  it.each([
    ['note', true],
    ['hold', undefined],
  ] as const)('too few events are a %s by policy', (quiet, noted) => {
    const book = booked(ERRORS, steady(3, 0, 0));
    const [verdict] = judgedAt(book, ERRORS, 40, { ...POLICY, quiet });
    expect(verdict).toMatchObject({ verdict: 'inconclusive', code: 'CCM3102' });
    expect(verdict?.noted).toBe(noted);
  });

  it('suspect harm, and fail when it goes on', () => {
    const [first, ...rest] = steady(20, 10, 10);
    const early = booked(ERRORS, [first, ...rest].flatMap((each) => each ?? []).slice(0, 2));
    expect(only(early, ERRORS, 16)).toMatchObject({
      ...{ verdict: 'inconclusive', code: 'CCM3102' },
      detail: expect.stringContaining('10 of 10 events bad'),
    });
    expect(only(booked(ERRORS, steady(20, 10, 10)), ERRORS, 290)).toMatchObject({
      ...{ verdict: 'fail', code: 'CCM3101' },
    });
  });

  it('a page that cannot be read counts for nothing, and is named when it lasts', () => {
    const rounds = [
      ...steady(2, 0, 5),
      ...[30, 60, 90, 120, 150].map((seconds) => ({ seconds, places: [{ text: null }] })),
    ];
    const book = booked(ERRORS, rounds);
    expect(only(book, ERRORS, 60)).toMatchObject({ verdict: 'inconclusive', noted: true });
    expect(only(book, ERRORS, 151)).toMatchObject({ verdict: 'error', detail: 'no route' });
  });

  it('a gate that was never served is noted, one that could never be read holds', () => {
    const bare = booked(ERRORS, [{ seconds: 0, places: [{ text: '' }] }]);
    expect(only(bare, ERRORS, 1)).toMatchObject({ verdict: 'noData', noted: true });
    const unread = booked(ERRORS, [{ seconds: 0, places: [{ text: null }] }]);
    expect(only(unread, ERRORS, 1)).toMatchObject({ verdict: 'error', detail: 'no route' });
    expect(only(unread, ERRORS, 1)?.noted).toBeUndefined();
  });

  it('an owner that no longer serves what was served is unmeasured', () => {
    const gone = [60, 120, 180].map((seconds) => ({ seconds, places: [{ text: '' }] }));
    const book = booked(ERRORS, [...steady(3, 0, 5), ...gone]);
    expect(only(book, ERRORS, 181)).toMatchObject({
      verdict: 'error',
      detail: 'kcm on cp-1 owns and does not serve what was served before',
    });
  });

  it('between two owners nothing happens, which is no silence', () => {
    const gap = [60, 120, 180].map((seconds) => ({ seconds, places: [] }));
    expect(only(booked(ERRORS, [...steady(3, 0, 5), ...gap]), ERRORS, 181)).toMatchObject({
      verdict: 'inconclusive',
      noted: true,
    });
  });

  it('a new process has counted everything since the round before', () => {
    const ccm = {
      ...{ place: 'ccm on cp-2', text: syncs(30, 30) },
      startedAtMs: BEGAN + 40 * SECOND,
    };
    const book = booked(ERRORS, [...steady(3, 0, 5), { seconds: 45, places: [ccm] }]);
    expect(only(book, ERRORS, 46)?.numbers?.counted).toMatchObject({ bad: 30 });
    // What runs for long, and was not read before, counts from now on.
    const old = { place: 'ccm on cp-2', text: syncs(30, 30) };
    const other = booked(ERRORS, [...steady(3, 0, 5), { seconds: 45, places: [old] }]);
    expect(only(other, ERRORS, 46)?.numbers?.counted).toMatchObject({ bad: 0 });
  });

  it('a book does not begin while no manager runs: that is no health', () => {
    const book = booked(ERRORS, [{ seconds: 0, places: [] }]);
    expect(book).toEqual(EMPTY_BOOK);
    expect(only(book, ERRORS, 1)).toMatchObject({ verdict: 'error', code: 'CCM3103' });
  });

  it('a process that began with the migration has no past to compare with', () => {
    const empty = { seconds: 0, places: [{ text: 'up 1\n' }] };
    const ccm = { text: syncs(0, 40), startedAtMs: BEGAN + 10 * SECOND };
    const book = booked(ERRORS, [empty, { seconds: 15, places: [ccm] }]);
    expect(only(book, ERRORS, 16)?.numbers?.counted?.before).toBeNull();
  });

  it.each([
    [
      'a contradiction',
      'service_controller_loadbalancer_sync_total NaN\n',
      'which counts no events',
    ],
    ['errors above all events', syncs(2_000, 1_500), 'contradict'],
    ['errors that outgrow events', syncs(900, 1_100), 'contradict each other'],
  ])('%s is no measurement', (_what, text, why) => {
    const wrong = [30, 90, 150].map((seconds) => ({ seconds, places: [{ text }] }));
    const verdict = only(booked(ERRORS, [...steady(2, 0, 5), ...wrong]), ERRORS, 152);
    expect(verdict).toMatchObject({ verdict: 'error', detail: expect.stringContaining(why) });
  });

  it('a counter that was reset counts nothing, and the next round goes on', () => {
    const book = booked(ERRORS, [
      ...steady(3, 0, 5),
      { seconds: 45, places: [{ text: syncs(0, 3) }] },
      { seconds: 60, places: [{ text: syncs(4, 9) }] },
    ]);
    expect(only(book, ERRORS, 61)?.numbers?.counted).toMatchObject({ bad: 4 });
  });

  it('a page with times of its own that is served again counts once', () => {
    const timed = (bad: number, total: number): string =>
      syncs(bad, total).replaceAll('\n', ` ${String(BEGAN)}\n`);
    const book = booked(ERRORS, [
      { seconds: 0, places: [{ text: timed(5, 100) }] },
      { seconds: 15, places: [{ text: timed(5, 100) }] },
    ]);
    expect(only(book, ERRORS, 16)?.numbers?.counted).toMatchObject({ bad: 0, events: 0 });
  });

  it('a rule that compares with nothing is unmeasured', () => {
    const book = booked(ERRORS, steady(3, 0, 5));
    const [verdict] = judgedAt(book, ERRORS, 40, { ...POLICY, falseAlarms: Number.NaN });
    expect(verdict).toMatchObject({
      ...{ verdict: 'error', detail: 'a number of the policy compares with nothing' },
    });
  });

  it('without a past the limit judges alone', () => {
    const rounds = steady(20, 10, 10).map(({ seconds, places }) => ({
      seconds,
      places: places.map((place) => ({
        ...place,
        text: place.text?.replace(/(\d+)\n$/, (all) => `${String(Number(all) - 1_000)}\n`) ?? null,
      })),
    }));
    const verdict = only(booked(ERRORS, rounds), ERRORS, 286);
    expect(verdict).toMatchObject({ verdict: 'fail' });
    expect(verdict?.detail).not.toContain('before');
  });

  it('a book in which the gate of this name measured otherwise begins again', () => {
    const other = { kind: 'gauge', latest: null, lowest: null, why: '' } as const;
    const counts = { kind: 'counts', bases: {}, baseline: null, watch: null, why: '' } as const;
    const before = {
      ...EMPTY_BOOK,
      gates: { nodeSyncErrors: other, serviceProcessorStuck: counts },
    };
    const book = booked([...ERRORS, ...STUCK], steady(2, 0, 5), before);
    expect(book.gates['nodeSyncErrors']?.kind).toBe('counts');
    expect(book.gates['serviceProcessorStuck']?.kind).toBe('gauge');
  });

  it('a page without the metric does not expose it', () => {
    for (const { measure } of [...LATENCY, ...STUCK])
      expect(isExposed(new Map(), measure)).toBe(false);
  });

  it('a round that is not later says nothing new', () => {
    const book = booked(ERRORS, steady(3, 0, 5));
    expect(addGiven(book, ERRORS, { seconds: 30, places: [{ text: syncs(9, 9_000) }] })).toBe(book);
  });

  it('a clock that is a little behind is no fault', () => {
    const verdict = only(booked(ERRORS, steady(3, 0, 5)), ERRORS, 28);
    expect(verdict?.verdict).toBe('inconclusive');
  });

  it('windows begin where what runs has changed, and once a minute at most', () => {
    const stepsAfter = (setups: readonly string[]): number => {
      const rounds = setups.map((setup, index) => ({
        ...{ seconds: 15 * index, setup },
        places: [{ text: syncs(0, 100 + index) }],
      }));
      const state = booked(ERRORS, rounds).gates['nodeSyncErrors'];
      return state?.kind === 'counts' ? (state.watch?.steps ?? 0) : 0;
    };
    expect(stepsAfter(['a', 'a', 'a'])).toBe(1);
    expect(stepsAfter(['a', 'b', 'c'])).toBe(2);
    expect(stepsAfter(['a', 'b', 'b', 'b', 'b', 'b', 'c'])).toBe(3);
  });

  it('cloud calls are counted by provider, errors before the first one included', () => {
    const calls = (count: number) =>
      `cloudprovider_aws_api_request_duration_seconds_count{request="a"} ${String(count)}\n`;
    const rounds = [0, 1, 2].map((index) => ({
      seconds: 15 * index,
      places: [{ text: calls(100 * (index + 1)), minor: 25, provider: 'aws' }],
    }));
    expect(only(booked(AWS, rounds), AWS, 31)).toMatchObject({ verdict: 'pass' });
  });
});
