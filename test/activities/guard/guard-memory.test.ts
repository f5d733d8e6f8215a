import { describe, expect, it } from '@jest/globals';
import type { GuardInput, GuardMemory } from '../../../activities/contract.js';
import { bounded, memoryAtStart, newsIn } from '../../../activities/guard/guard-memory.js';
import type { CountStart } from '../../../domain/gates/counts/count-starts.js';
import { watchFrom } from '../../../domain/gates/counts/count-watch.js';
import {
  type CountState,
  EMPTY_BOOK,
  EMPTY_COUNTS,
} from '../../../domain/gates/watch/gate-book.js';
import { runContext } from '../run-context.js';

describe('what the guard remembers', () => {
  const input = (memory: GuardMemory | null = null): GuardInput => ({
    ...runContext(),
    nonce: 'n',
    memory,
  });
  const begun = memoryAtStart(undefined, input(), 1000);

  it("the guard starts without memory, continues that of another guard, and prefers its own attempt's", () => {
    const other = { ...begun, observations: 5 };
    const own = { ...begun, observations: 7 };
    expect(begun).toMatchObject({ observations: 0, reachable: {}, apiReachable: true });
    expect(memoryAtStart(undefined, input(other), 0).observations).toBe(5);
    expect(memoryAtStart(own, input(other), 0).observations).toBe(7);
    expect(memoryAtStart({ progress: 'x' }, input(other), 0).observations).toBe(5);
    const { reachable: _reachable, apiReachable: _apiReachable, ...older } = own;
    expect(memoryAtStart(older, input(), 0)).toEqual(own);
  });

  it('a guard without memory counts the time of a run that may have written as unknown', () => {
    const owner = begun.trace.controllers[0];
    const lost = (sinceMs: number | null) =>
      memoryAtStart(undefined, { ...input(), mayHaveWritten: { sinceMs } }, 1000).trace;
    expect(lost(5)).toMatchObject({
      atMs: 5,
      controllers: [{ ...owner, staleOwners: [] }, {}, {}],
    });
    expect(lost(null).atMs).toBe(1000);
    expect(begun.trace).toMatchObject({ atMs: 1000, controllers: [{ staleOwners: null }, {}, {}] });
  });

  it("the guard's memory stays within 16 KiB whatever it has observed, and keeps its figures", () => {
    const verdict = { gate: 'g', hardness: 'hard', verdict: 'fail', code: 'CCM3001' } as const;
    const breaches = Array.from({ length: 20 }, (_, nth) => ({
      ...verdict,
      gate: `g${String(nth)}`,
      detail: 'é'.repeat(5000),
    }));
    const firstSeen = Array.from({ length: 500 }, (_, nth) => ({
      ...{ namespace: 'n'.repeat(60), name: `${'l'.repeat(200)}${String(nth)}` },
      ...{ resourceVersion: '1', firstSeenAtMs: nth },
    }));
    const small = bounded({ ...begun, observations: 9, breaches, firstSeen });
    expect(Buffer.byteLength(JSON.stringify(small))).toBeLessThanOrEqual(16 * 1024);
    expect(small).toMatchObject({ observations: 9, trace: begun.trace });
    expect(bounded(begun)).toEqual(begun);
  });

  it('windows of own gates that began at any minute go first, and what was usual stays', () => {
    const window: CountStart = [
      1_790_000_000_000, -5.55, 1_234_567, 123_456_789, 1234, 321, 4567, 6789,
    ];
    const watch = {
      ...watchFrom(1_790_000_000_000),
      others: Array.from({ length: 28 }, () => window),
    };
    const baseline = { bad: 3, total: 43_200, dispersion: 1.3 };
    const state: CountState = { ...EMPTY_COUNTS, baseline, watch };
    const names = Array.from({ length: 10 }, (_, nth) => `own${String(nth)}`);
    const gates = Object.fromEntries(names.map((name) => [name, state]));
    const own = { lastAtMs: 1, gates: {}, counted: { ...EMPTY_BOOK, gates } };
    const small = bounded({ ...begun, own });
    expect(Buffer.byteLength(JSON.stringify(small))).toBeLessThanOrEqual(16 * 1024);
    const kept = small.own?.counted?.gates['own9'];
    expect(kept).toMatchObject({ baseline, watch: { latest: watch.latest } });
  });

  it('the guard distinguishes awaited reports from figures that change all the time', () => {
    expect(newsIn({ ...begun, observations: 9, trace: { ...begun.trace, atMs: 5 } })).toBe(
      newsIn(begun),
    );
    expect(newsIn({ ...begun, reachable: { 'cp-1': false } })).not.toBe(newsIn(begun));
    expect(newsIn({ ...begun, apiReachable: false })).not.toBe(newsIn(begun));
  });
});
