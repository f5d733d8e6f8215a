import { beforeEach, describe, expect, it } from '@jest/globals';
import { realClock } from '../../../activities/dependencies.js';
import type { FenceRecord } from '../../../activities/fence/fence-record.js';
import { openGapLog } from '../../../activities/guard/guard-gap.js';

const FENCE: FenceRecord = {
  ...{ resourceVersion: '1', runId: 'r', workflowId: 'w', actor: 'a', epoch: 1, guardedEpoch: 1 },
  ...{ nonce: 'n', breach: '', acknowledged: [], displaced: '', ended: [] },
  ...{ mode: 'active', renewedAtMs: 0 },
};
const IDLE: FenceRecord = { ...FENCE, mode: 'idle' };

describe('the time between two observations of a guard', () => {
  let nowMs = 0;
  let gaps: number[] = [];
  let warnings: unknown[] = [];
  beforeEach(() => {
    [nowMs, gaps, warnings] = [0, [], []];
  });

  const opened = (paceMs = 1_000) =>
    openGapLog(
      {
        clock: { ...realClock, nowMs: () => nowMs },
        log: { info: () => undefined, warn: (_text, fields) => void warnings.push(fields) },
        recordGuardGap: (gapMs) => void gaps.push(gapMs),
      },
      'sim-1',
      paceMs,
    );

  it('it counts while writes may come', () => {
    const log = opened();
    for (const atMs of [0, 1_000, 2_300]) {
      nowMs = atMs;
      log.observed(FENCE, false);
    }
    expect(gaps).toEqual([1_000, 1_300]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['an idle fence', IDLE],
    ['no fence', null],
  ])('a rest with %s is not late', (_, fence) => {
    const log = opened();
    log.observed(fence, false);
    nowMs = 10_000;
    log.observed(FENCE, false);
    expect([gaps, warnings]).toEqual([[], []]);
  });

  it('a fence that no guard has confirmed in its epoch waits for its guard, idle or not', () => {
    const log = opened();
    log.observed({ ...IDLE, guardedEpoch: 0 }, false);
    nowMs = 700;
    log.observed(IDLE, false);
    expect(gaps).toEqual([700]);
  });

  it('observations more than 2 s apart are a finding, once until the guard keeps up again', () => {
    const log = opened();
    for (const atMs of [0, 2_000, 4_001, 8_000, 9_000, 12_000]) {
      nowMs = atMs;
      log.observed(FENCE, false);
    }
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'CCM4033',
        cluster: 'sim-1',
        seen: '2.0 s between two observations',
      }),
      expect.objectContaining({ code: 'CCM4033', seen: '3.0 s between two observations' }),
    ]);
  });

  it('a guard that the policy lets observe seldom is late after two of its intervals', () => {
    const log = opened(5_000);
    for (const atMs of [0, 9_000, 19_500]) {
      nowMs = atMs;
      log.observed(FENCE, false);
    }
    expect(warnings).toHaveLength(1);
  });

  it('an observation that failed in between is measured, and not called late as well', () => {
    const log = opened();
    log.observed(FENCE, false);
    nowMs = 60_000;
    log.observed(FENCE, true);
    expect([gaps, warnings]).toEqual([[60_000], []]);
  });
});
