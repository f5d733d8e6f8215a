import { describe, expect, it } from '@jest/globals';
import { acknowledgedIn } from '../../../../domain/gates/watch/add-round.js';
import { slimBook } from '../../../../domain/gates/watch/slim-book.js';
import {
  booked,
  ERRORS,
  gatesNamed,
  gauge,
  judgedAt,
  LATENCY,
  only,
  steady,
  STUCK,
  syncs,
  type GivenRound,
} from './given-rounds.js';

const BACKLOG = gatesNamed('serviceQueueBacklog');

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

describe('gates that only a CCM serves, while the first one starts', () => {
  const kcm = { text: 'other 1\n' };
  const starting = { place: 'ccm on cp-1', text: null, owns: false };
  const started = (text: string) => ({ ...starting, text });
  const GATES = gatesNamed('taintRemovalDelay', 'cloudNodeQueueStuck');
  const TAINTS =
    'node_controller_cloud_provider_taint_removal_delay_seconds_bucket{le="64"} 0\n' +
    'node_controller_cloud_provider_taint_removal_delay_seconds_bucket{le="+Inf"} 0\n' +
    'node_controller_cloud_provider_taint_removal_delay_seconds_count 0\n';
  const unread = (...seconds: readonly number[]): readonly GivenRound[] =>
    seconds.map((each) => ({ seconds: each, places: [kcm, starting] }));
  const kinds = (rounds: readonly GivenRound[], seconds: number) =>
    judgedAt(booked(GATES, rounds), GATES, seconds).map(({ verdict, noted }) => [verdict, noted]);

  it('stay absent until it listens', () => {
    const before = { seconds: 0, places: [kcm] };
    const noted = ['noData', true];
    expect(kinds([before, ...unread(15)], 16)).toEqual([noted, noted]);
    const text = TAINTS + gauge('unfinished_work_seconds', 'Nodes', 0);
    const after = { seconds: 30, places: [kcm, started(text)] };
    expect(kinds([before, ...unread(15), after], 31)).toEqual([
      ['inconclusive', true],
      ['pass', undefined],
    ]);
  });

  it.each([
    [
      'are unmeasured when it never does',
      [{ seconds: 0, places: [kcm] }, ...unread(120, 135)],
      136,
    ],
    ['are unmeasured when a run begins so', unread(0), 1],
  ])('%s', (_name, rounds, seconds) => {
    expect(kinds(rounds, seconds)).toEqual([
      ['error', undefined],
      ['error', undefined],
    ]);
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

  describe('work that is added up', () => {
    const SUM = gatesNamed('serviceQueueStuck', 'serviceProcessorStuck');
    const page = (sum: number, longest: number | null) => ({
      seconds: 0,
      places: [
        {
          text:
            gauge('unfinished_work_seconds', 'service', sum) +
            (longest === null
              ? ''
              : gauge('longest_running_processor_seconds', 'service', longest)),
        },
      ],
    });
    const sumOf = (sum: number, longest: number | null, gates = SUM) =>
      only(booked(gates, [page(sum, longest)]), gates, 1);

    it.each([
      ['ten calls of 15 s each are none that hangs', 150, 15, 'pass', 'CCM3101', 'no piece of it'],
      ['one that hangs is', 150, 150, 'fail', 'CCM3101', 'one piece of it alone, too'],
      ['one that hangs among others is', 400, 121, 'fail', 'CCM3101', 'one piece'],
      ['at the limit nothing is', 120, 120, 'pass', 'CCM3101', '120.0 s, limit 120 s'],
      ['without the longest it is a suspicion', 150, null, 'inconclusive', 'CCM3102', 'not known'],
      ['below the limit the longest is not needed', 15, null, 'pass', 'CCM3101', '15.0 s'],
      ['a longest that is no number', 150, NaN, 'inconclusive', 'CCM3102', 'not known'],
    ])('%s', (_what, sum, longest, verdict, code, detail) => {
      expect(sumOf(sum, longest)).toMatchObject({
        ...{ gate: 'serviceQueueStuck', verdict, code },
        detail: expect.stringContaining(detail),
      });
    });

    it('a suspicion of it holds, where policy leaves out the gate that decides', () => {
      const verdict = sumOf(150, 15, gatesNamed('serviceQueueStuck'));
      expect(verdict).toMatchObject({ verdict: 'inconclusive', code: 'CCM3102' });
      expect(verdict?.noted).toBeUndefined();
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

  it.each([
    ['as far ahead as clocks may be', 60 - 5, 'pass', /^1.0 s/],
    ['further ahead', 60 - 5.001, 'error', /^read in the future: compare the clocks$/],
  ])('a sample of a worker whose clock is %s', (_what, seconds, verdict, detail) => {
    const seen = only(booked(STUCK, [at(60, 1)]), STUCK, seconds);
    expect(seen).toMatchObject({ verdict, detail: expect.stringMatching(detail) });
  });

  it('a sample from ahead that could not be renewed says why', () => {
    const unread = { seconds: 70, places: [{ text: null }] };
    expect(only(booked(STUCK, [at(60, 1), unread]), STUCK, 1)).toMatchObject({
      ...{ verdict: 'error', detail: 'no route' },
    });
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
    const gauges = booked(STUCK, [{ seconds: 0, places: [{ text: 'up 1\n' }] }]);
    expect(acknowledgedIn(gauges, 1, () => true).gates).toEqual(gauges.gates);
    const bare = booked(ERRORS, [{ seconds: 0, places: [{ text: 'up 1\n' }] }]);
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
    expect(slimBook(booked(ERRORS, [{ seconds: 0, places: [{ text: 'up 1\n' }] }])).gates).toEqual({
      nodeSyncErrors: expect.objectContaining({ watch: null }),
    });
  });
});
