import { describe, expect, it } from '@jest/globals';
import {
  LOOP_WINDOW_MS,
  admitsGuards,
  loopUtilisation,
  withReading,
  type LoopReading,
} from '../../domain/loop-admission.js';

const LIMITS = { stopAbove: 0.8, resumeBelow: 0.6 };

/** A loop that works these shares of each second, read once a second. */
function readingsOf(shares: readonly number[]): readonly LoopReading[] {
  let [activeMs, idleMs] = [500, 7_000];
  return shares.reduce<readonly LoopReading[]>(
    (readings, share, second) => {
      activeMs += share * 1_000;
      idleMs += (1 - share) * 1_000;
      return withReading(readings, { atMs: (second + 1) * 1_000, activeMs, idleMs });
    },
    withReading([], { atMs: 0, activeMs, idleMs }),
  );
}

const seconds = (count: number, share: number): readonly number[] =>
  Array.from({ length: count }, () => share);

describe('how busy a loop is', () => {
  it.each([
    ['nothing was read', [], null],
    ['less than a window was read', seconds(9, 1), null],
    ['it rested for a window', seconds(10, 0), 0],
    ['it worked for a window', seconds(10, 1), 1],
    ['it worked half of each second', seconds(10, 0.5), 0.5],
    ['it worked before the window', [...seconds(60, 1), ...seconds(10, 0)], 0],
    ['it worked in the last 3 s of the window', [...seconds(60, 0), ...seconds(3, 1)], 0.3],
  ])('when %s', (_, shares, expected) => {
    const utilisation = loopUtilisation(readingsOf(shares));
    if (expected === null) expect(utilisation).toBeNull();
    else expect(utilisation).toBeCloseTo(expected, 9);
  });

  it('is counted from before a gap, where the loop was blocked and nothing was read', () => {
    const readings = readingsOf(seconds(10, 0));
    const last = { atMs: 40_000, activeMs: 30_500, idleMs: 17_000 };
    expect(loopUtilisation(withReading(readings, last))).toBe(1);
  });

  it('is not known where the loop counted no time', () => {
    const stuck = { activeMs: 1, idleMs: 1 };
    const readings = withReading([{ atMs: 0, ...stuck }], { atMs: LOOP_WINDOW_MS, ...stuck });
    expect(loopUtilisation(readings)).toBeNull();
  });

  it('is not known without a reading', () => {
    expect(loopUtilisation([])).toBeNull();
  });

  it('takes a bounded number of readings', () => {
    expect(readingsOf(seconds(1_000, 0.5)).length).toBe(LOOP_WINDOW_MS / 1_000 + 1);
  });
});

describe('a worker', () => {
  it.each([
    ['that has just begun takes guards', true, null, true],
    ['that rests takes guards', true, 0, true],
    ['at its limit takes guards', true, 0.8, true],
    ['above its limit takes none', true, 0.81, false],
    ['that was too busy takes none at the limit', false, 0.8, false],
    ['that was too busy takes none between the limits', false, 0.7, false],
    ['that was too busy takes none at the lower limit', false, 0.6, false],
    ['that was too busy takes guards below the lower limit', false, 0.59, true],
    ['that was too busy takes none while its load is not known', false, null, false],
  ])('%s', (_, admitted, utilisation, expected) => {
    expect(admitsGuards(admitted, utilisation, LIMITS)).toBe(expected);
  });

  it('between the limits stays as it is, whatever it was', () => {
    for (const utilisation of [0.6, 0.65, 0.7, 0.75, 0.8]) {
      for (const admitted of [true, false]) {
        expect(admitsGuards(admitted, utilisation, LIMITS)).toBe(admitted);
      }
    }
  });

  it('takes guards however busy it is where the limit is all of its time', () => {
    expect(admitsGuards(true, 1, { stopAbove: 1, resumeBelow: 0.6 })).toBe(true);
  });
});
