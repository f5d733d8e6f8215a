import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shownDuration } from '../../../cli/terminal/wording.js';

describe('a duration on a screen', () => {
  it.each([
    [0, '0.0 s'],
    [-1, '0.0 s'],
    [2.34, '2.3 s'],
    [42, '42.0 s'],
    [59.94, '59.9 s'],
    [59.96, '1 min'],
    [60, '1 min'],
    [250, '4 min 10 s'],
    [3599.7, '1 h'],
    [11_520, '3 h 12 min'],
    [11_579, '3 h 12 min'],
    [86_399.9, '1 d'],
    [604_800, '7 d'],
    [617_400, '7 d 3 h'],
  ])('%d s is shown as %s', (seconds, text) => {
    expect(shownDuration(seconds * 1000)).toBe(text);
  });

  it('a smaller part never rounds up to a whole larger unit', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e8, noNaN: true }), (seconds) => {
        const text = shownDuration(seconds * 1000);
        const parts = [...text.matchAll(/(\d+(?:\.\d)?) (d|h|min|s)/g)];
        const most: Readonly<Record<string, number>> = { h: 24, min: 60, s: 60 };
        for (const [, amount, unit] of parts)
          expect(Number(amount)).toBeLessThan(most[unit ?? ''] ?? Infinity);
        expect(parts.map(([part]) => part).join(' ')).toBe(text);
      }),
    );
  });
});
