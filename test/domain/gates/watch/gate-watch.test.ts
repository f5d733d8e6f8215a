import { describe, expect, it } from '@jest/globals';
import { holdsRun } from '../../../../domain/gates/verdicts.js';
import { acknowledgedIn } from '../../../../domain/gates/watch/add-round.js';
import { EMPTY_BOOK, type GateBook } from '../../../../domain/gates/watch/gate-book.js';
import { slimBook } from '../../../../domain/gates/watch/slim-book.js';
import {
  addGiven,
  BEGAN,
  booked,
  gatesNamed,
  gauge,
  judgedAt,
  POLICY,
  SECOND,
  syncs,
  type GivenRound,
} from './given-rounds.js';

const ERRORS = gatesNamed('nodeSyncErrors');
const LATENCY = gatesNamed('nodeSyncErrors', 'nodeSyncLatency');
const STUCK = gatesNamed('serviceProcessorStuck');
const BACKLOG = gatesNamed('serviceQueueBacklog');
const AWS = gatesNamed('awsApiErrors');

/** Every 15 s so many events, of which so many are bad. */
function steady(count: number, bad: number, total: number, from = 0): readonly GivenRound[] {
  return Array.from({ length: count }, (_, index) => ({
    seconds: from + 15 * index,
    places: [{ text: syncs(bad * index, 1_000 + total * index) }],
  }));
}

const only = (book: GateBook, gates: typeof ERRORS, seconds: number) =>
  judgedAt(book, gates, seconds)[0];

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

  it('a process that began with the migration has no past to compare with', () => {
    const empty = { seconds: 0, places: [] };
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

describe('latencies', () => {
  const latency = (fast: number, all: number): string =>
    [64, '+Inf']
      .map((edge) => {
        const count = String(edge === 64 ? fast : all);
        return `service_controller_nodesync_latency_seconds_bucket{le="${String(edge)}"} ${count}\n`;
      })
      .join('') + `service_controller_nodesync_latency_seconds_count ${String(all)}\n`;
  const rounds = (bad: number): readonly GivenRound[] =>
    Array.from({ length: 20 }, (_, index) => {
      const count = 1_000 + 100 * index;
      const text = syncs(bad * index, 1_000 + 10 * index) + latency(count, count);
      return { seconds: 15 * index, places: [{ text }] };
    });

  it('count beside errors that are few, and are a note beside others', () => {
    const good = judgedAt(booked(LATENCY, rounds(0)), LATENCY, 286);
    expect(good.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
    const bad = judgedAt(booked(LATENCY, rounds(10)), LATENCY, 286);
    expect(bad.map(({ verdict }) => verdict)).toEqual(['fail', 'inconclusive']);
    expect(bad[1]?.noted).toBe(true);
  });

  it('a latency that does not pass stays what it is', () => {
    const slow = Array.from({ length: 20 }, (_, index) => ({
      seconds: 15 * index,
      places: [
        { text: syncs(10 * index, 1_000 + 10 * index) + latency(1_000, 1_000 + 100 * index) },
      ],
    }));
    const verdicts = judgedAt(booked(LATENCY, slow), LATENCY, 286);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['fail', 'fail']);
  });

  it('a histogram that contradicts itself is no measurement', () => {
    const text = syncs(0, 10) + latency(9, 5);
    const [, verdict] = judgedAt(booked(LATENCY, [{ seconds: 0, places: [{ text }] }]), LATENCY, 1);
    expect(verdict).toMatchObject({ verdict: 'error' });
  });
});

describe('gauges', () => {
  const at = (
    seconds: number,
    value: number | string,
    metric = 'longest_running_processor_seconds',
  ) => ({
    seconds,
    places: [{ text: gauge(metric, 'service', value) }],
  });

  it.each([
    ['nothing hangs', 3, 'pass', '3.0 s, limit 120 s'],
    ['something hangs', 121, 'fail', '121.0 s, limit 120 s'],
    ['less than nothing', -1, 'error', 'less than nothing'],
    ['no number', 'NaN', 'error', 'no number'],
  ])('one fresh sample decides a duration: %s', (_what, value, verdict, detail) => {
    expect(only(booked(STUCK, [at(0, value)]), STUCK, 1)).toMatchObject({
      ...{ verdict, detail: expect.stringContaining(detail) },
    });
  });

  it('a manager without the queue is noted; between owners nothing waits', () => {
    const other = {
      seconds: 0,
      places: [{ text: gauge('longest_running_processor_seconds', 'x', 1) }],
    };
    expect(only(booked(STUCK, [other]), STUCK, 1)).toMatchObject({
      verdict: 'noData',
      noted: true,
    });
    expect(only(booked(STUCK, [at(0, 200), { seconds: 15, places: [] }]), STUCK, 16)).toMatchObject(
      {
        verdict: 'pass',
      },
    );
  });

  it('a sample that is too old is none', () => {
    const unread = [60, 120, 180].map((seconds) => ({ seconds, places: [{ text: null }] }));
    expect(only(booked(STUCK, [at(0, 1), ...unread]), STUCK, 181)).toMatchObject({
      ...{ verdict: 'error', detail: 'no route' },
    });
    const never = booked(STUCK, [{ seconds: 0, places: [{ text: null }] }]);
    expect(only(never, STUCK, 1)).toMatchObject({ verdict: 'error', detail: 'no route' });
  });

  it.each([
    ['it falls', (index: number) => 500 - 5 * index, 'pass'],
    ['it is empty at times', (index: number) => (index % 40 === 0 ? 0 : 100), 'pass'],
    ['it is busy, with a few items', (index: number) => 1 + (index % 3), 'pass'],
    ['it grows for half an hour', (index: number) => 10 + index, 'inconclusive'],
  ])('a queue is judged by how it moves: %s', (_what, depth, verdict) => {
    const rounds = Array.from({ length: 90 }, (_, index) => at(30 * index, depth(index), 'depth'));
    expect(only(booked(BACKLOG, rounds), BACKLOG, 2_671)).toMatchObject({ verdict });
    expect(only(booked(BACKLOG, rounds.slice(0, 1)), BACKLOG, 1)).toMatchObject({
      verdict: 'pass',
    });
  });
});

describe('the book of gates', () => {
  const failed = booked(ERRORS, steady(20, 10, 10));

  it('a failure that was accepted is watched from its beginning, once in an epoch', () => {
    expect(only(failed, ERRORS, 286)?.verdict).toBe('fail');
    const accepted = acknowledgedIn(failed, 2, () => true);
    expect(only(accepted, ERRORS, 286)?.verdict).toBe('inconclusive');
    expect(acknowledgedIn(accepted, 2, () => true)).toBe(accepted);
    expect(
      only(
        acknowledgedIn(failed, 2, () => false),
        ERRORS,
        286,
      )?.verdict,
    ).toBe('fail');
    const gauges = booked(STUCK, [{ seconds: 0, places: [] }]);
    expect(acknowledgedIn(gauges, 1, () => true).gates).toEqual(gauges.gates);
    const bare = booked(ERRORS, [{ seconds: 0, places: [] }]);
    expect(acknowledgedIn(bare, 1, () => true).gates).toEqual(bare.gates);
  });

  it('halves the windows of other minutes, and leaves gauges and verdicts as they are', () => {
    const both = [...ERRORS, ...STUCK];
    const long = booked(both, [
      ...steady(60, 0, 10),
      {
        seconds: 900,
        places: [{ text: gauge('longest_running_processor_seconds', 'service', 1) }],
      },
    ]);
    const slim = slimBook(long);
    expect(JSON.stringify(slim).length).toBeLessThan(JSON.stringify(long).length);
    expect(slim.gates['serviceProcessorStuck']).toEqual(long.gates['serviceProcessorStuck']);
    expect(slimBook(booked(ERRORS, [{ seconds: 0, places: [] }])).gates).toEqual({
      nodeSyncErrors: expect.objectContaining({ watch: null }),
    });
  });
});
