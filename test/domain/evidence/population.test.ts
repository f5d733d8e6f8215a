import { describe, expect, it } from '@jest/globals';
import {
  type FenceEpoch,
  type PopulationGap,
  type PopulationSpan,
  populationGaps,
  type RunInLog,
  type RunOnRecord,
} from '../../../domain/evidence/population.js';

const ALL: PopulationSpan = { fromMs: -Infinity, toMs: Infinity };
/** Hours since the first of the month. */
const HOUR_MS = 3_600_000;
const on = (day: number, hour = 0): number => (day * 24 + hour) * HOUR_MS;
const KEPT = { nowMs: on(20), retentionMs: on(7) };

/** A run on the day of its first epoch, after the tenth. */
function run(epochs: readonly number[], changes: Partial<RunOnRecord> = {}): RunOnRecord {
  const day = 10 + (epochs[0] ?? 0);
  return {
    ...{
      workflowId: 'cluster-migration/uid-1',
      runId: `run-${String(day)}`,
      cluster: 'c1',
      uid: 'uid-1',
    },
    ...{ startedAtMs: on(day, 10), endedAtMs: on(day, 11), epochs, claimed: [] },
    ...{ listed: true, exported: true, ...changes },
  };
}

const fence = (epoch: number, changes: Partial<FenceEpoch> = {}): FenceEpoch => ({
  ...{ cluster: 'c1', uid: 'uid-1', epoch, readAtMs: on(20) },
  ...changes,
});

function gaps(
  runs: readonly RunOnRecord[],
  fences: readonly FenceEpoch[],
  span: PopulationSpan = ALL,
  logged: readonly RunInLog[] = [],
): readonly PopulationGap[] {
  return populationGaps({ runs, fences, logged }, span, KEPT);
}

const missing = (from: number, to: number) => ({ kind: 'missingRun', cluster: 'c1', from, to });

describe('the population of runs', () => {
  it('has no gap where each epoch of each fence has its run', () => {
    expect(gaps([run([1]), run([2, 3]), run([4])], [fence(4)])).toEqual([]);
    expect(gaps([], [fence(0)])).toEqual([]);
    expect(gaps([run([])], [fence(0)])).toEqual([]);
  });

  it('is counted where an export names more epochs than a call takes arguments', () => {
    const many = Array.from({ length: 300_000 }, (_, epoch) => epoch + 1);
    expect(gaps([run(many), run([300_001])], [fence(300_001)])).toEqual([]);
  });

  it.each<[string, readonly RunOnRecord[], number, readonly object[]]>([
    ['at the beginning', [run([2])], 2, [missing(1, 1)]],
    ['in between', [run([1]), run([4])], 4, [missing(2, 3)]],
    ['at the end', [run([1])], 3, [missing(2, 3)]],
    ['in two places', [run([2]), run([4])], 4, [missing(1, 1), missing(3, 3)]],
    ['everywhere', [], 1_000_000_000, [missing(1, 1_000_000_000)]],
  ])('misses a run %s', (_where, runs, epoch, expected) => {
    expect(gaps(runs, [fence(epoch)])).toEqual(expected);
  });

  it('does not believe an epoch that a run only claims, unless another took it', () => {
    const open = run([], { runId: 'open', claimed: [1, 3, 9], endedAtMs: null, exported: false });
    expect(gaps([run([1]), open], [fence(3)])).toEqual([
      missing(2, 2),
      { kind: 'unprovenRun', epoch: 3, run: open },
    ]);
    const later = run([], { ...open, startedAtMs: on(18), claimed: [1] });
    expect(gaps([run([2]), later], [fence(2)], { fromMs: on(12), toMs: on(13) })).toEqual([
      { kind: 'unprovenRun', epoch: 1, run: later },
    ]);
  });

  it('counts the epochs of each cluster for itself, by its UID', () => {
    const other = run([2], { uid: 'uid-2' });
    expect(gaps([run([1]), other], [fence(2)])).toEqual([missing(2, 2)]);
  });

  it('tells of a fence that fell behind, and of an epoch that two runs took', () => {
    expect(gaps([run([1]), run([2])], [fence(1)])).toEqual([
      { kind: 'fenceFell', cluster: 'c1', epoch: 1, taken: 2 },
    ]);
    expect(gaps([run([1]), run([1], { runId: 'other' })], [fence(1)])).toEqual([
      { kind: 'takenTwice', cluster: 'c1', epoch: 1 },
    ]);
  });

  it('lets a run go on while it is read', () => {
    expect(gaps([run([1, 2], { endedAtMs: null, exported: false })], [fence(1)])).toEqual([]);
    const since = fence(1, { readAtMs: on(12, 10) });
    expect(gaps([run([1]), run([2])], [since])).toEqual([]);
  });

  it('wants an export of each run that has ended', () => {
    const ended = run([1], { exported: false });
    expect(gaps([ended, run([2], { exported: false, endedAtMs: null })], [fence(2)])).toEqual([
      { kind: 'notExported', run: ended },
    ]);
  });

  it('finds a run that was deleted before its time', () => {
    const recent = run([4], { listed: false });
    expect(gaps([run([1], { listed: false }), recent], [])).toEqual([
      { kind: 'deleted', run: recent },
    ]);
    expect(gaps([run([4], { listed: false, endedAtMs: null })], [])).toEqual([]);
  });

  it.each<[string, PopulationSpan, readonly object[]]>([
    ['from a day on', { ...ALL, fromMs: on(13) }, [missing(4, 4)]],
    ['until a day', { ...ALL, toMs: on(13, 23) }, [missing(1, 1), missing(4, 4)]],
    ['of a day', { fromMs: on(13), toMs: on(13, 23) }, [missing(4, 4)]],
    ['after all', { ...ALL, fromMs: on(19) }, []],
  ])('is judged %s by the runs around it', (_span, span, expected) => {
    const outside = run([2], { exported: false });
    const found = gaps([outside, run([3]), run([5])], [fence(5)], span);
    const ofEpochs = found.filter(({ kind }) => kind === 'missingRun');
    expect(ofEpochs).toEqual(expected);
    expect(found.some(({ kind }) => kind === 'notExported')).toBe(span.fromMs === -Infinity);
  });

  it('misses a run that only a log has, of the span', () => {
    const known = run([1], { runId: 'known' });
    const inLog = { runId: 'gone', cluster: 'c1', startedAtMs: on(2) };
    const logged = [
      inLog,
      { ...inLog, runId: 'known' },
      { ...inLog, runId: 'early', startedAtMs: 0 },
    ];
    const span = { fromMs: on(1), toMs: Infinity };
    expect(gaps([known], [fence(1)], span, logged)).toEqual([{ kind: 'onlyInLog', run: inLog }]);
  });
});
