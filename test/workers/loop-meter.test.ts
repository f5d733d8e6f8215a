import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LoopReading } from '../../domain/loop-admission.js';
import { createLoopMeter } from '../../workers/loop-meter.js';

const LIMITS = { stopAbove: 0.8, resumeBelow: 0.6 };

type Shown = readonly [utilisation: number | null, admits: boolean];

/** A meter of a loop that the test keeps busy. */
function meterOf() {
  const loop: { -readonly [Name in keyof LoopReading]: number } = {
    ...{ atMs: 0, activeMs: 0, idleMs: 0 },
  };
  const said: string[] = [];
  const shown: Shown[] = [];
  const meter = createLoopMeter({
    limits: LIMITS,
    log: {
      warn: (_: unknown, words?: string) => said.push(`warn ${String(words)}`),
      info: (_: unknown, words?: string) => said.push(`info ${String(words)}`),
    } as never,
    show: (...each) => shown.push(each),
    read: () => ({ ...loop }),
  });
  const works = (share: number, seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      loop.atMs += 1_000;
      loop.activeMs += share * 1_000;
      loop.idleMs += (1 - share) * 1_000;
      meter.measure();
    }
  };
  return { meter, said, shown, works };
}

const STOPS = 'warn this worker is busy and takes no new guards; those it has go on';
const RESUMES = 'info this worker takes new guards again';

describe('a worker whose loop is measured', () => {
  it('takes guards until it is too busy, and again once it is much less so', () => {
    const { meter, works } = meterOf();
    meter.measure();
    expect(meter.admits()).toBe(true);
    works(0.7, 60);
    expect(meter.admits()).toBe(true);
    works(0.9, 30);
    expect(meter.admits()).toBe(false);
    works(0.7, 60);
    expect(meter.admits()).toBe(false);
    works(0.5, 30);
    expect(meter.admits()).toBe(true);
  });

  it('says it once each time, however long it lasts', () => {
    const { said, works } = meterOf();
    works(0.9, 300);
    expect(said).toEqual([STOPS]);
    works(0.1, 300);
    expect(said).toEqual([STOPS, RESUMES]);
    works(0.9, 300);
    expect(said).toEqual([STOPS, RESUMES, STOPS]);
  });

  it('tells those who wait when it takes guards again, and not before', () => {
    const { meter, works } = meterOf();
    const told: boolean[] = [];
    meter.onAdmitting(() => told.push(meter.admits()));
    works(0.9, 60);
    works(0.7, 60);
    expect(told).toEqual([]);
    works(0.1, 60);
    expect(told).toEqual([true]);
  });

  it('shows each reading, and no utilisation before a whole window', () => {
    const { meter, shown, works } = meterOf();
    meter.measure();
    works(1, 11);
    expect(shown.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => [null, true]));
    expect(shown.slice(10)).toEqual([
      [1, false],
      [1, false],
    ]);
  });
});

describe('the loop of this process', () => {
  const began = performance.eventLoopUtilization();
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is read at once, each second, and no more after the end', () => {
    const show = jest.fn();
    const log = { info: () => undefined, warn: () => undefined } as never;
    const end = createLoopMeter({ limits: LIMITS, log, show }).begin();
    expect(show).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(3_000);
    expect(show).toHaveBeenCalledTimes(4);
    end();
    jest.advanceTimersByTime(3_000);
    expect(show).toHaveBeenCalledTimes(4);
    expect(performance.eventLoopUtilization().active).toBeGreaterThanOrEqual(began.active);
  });
});
