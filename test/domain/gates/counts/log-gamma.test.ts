import { describe, expect, it } from '@jest/globals';
import { codingRegret } from '../../../../domain/gates/counts/coding-regret.js';
import { logGamma } from '../../../../domain/gates/counts/log-gamma.js';

describe('the logarithm of the gamma function', () => {
  it.each([
    [1e-3, 6.907178885383853],
    [0.5, 0.5723649429247001],
    [1, 0],
    [1.5, -0.12078223763524522],
    [2, 0],
    [5, Math.log(24)],
    [10.5, 13.940625219403763],
    [100, 359.1342053695754],
    [1e6, 12_815_504.569147611],
  ])('of %d is %d', (x, known) => {
    expect(Math.abs(logGamma(x) - known)).toBeLessThan(1e-13 * Math.max(1, Math.abs(known)) * 10);
  });

  it.each([0, -1, -0.5, Number.NaN])('of %d does not exist', (x) => {
    expect(logGamma(x)).toBeNaN();
  });
});

describe('the regret of a mixture that knows no ratio beforehand', () => {
  it.each([
    // KT gives 1/2 to the first event, 3/8 to two equal ones and 1/8 to each order of two different ones.
    [0, 0, 0],
    [0, 1, Math.log(2)],
    [2, 2, Math.log(8 / 3)],
    [1, 2, Math.log(8 / 4)],
    [1, 3, Math.log((4 / 27) * 16)],
  ])('for %d of %d is %d', (bad, total, known) => {
    expect(codingRegret(bad, total)).toBeCloseTo(known, 12);
  });

  it('has no gap where the series takes over', () => {
    expect(codingRegret(10_000.001, 40_000) - codingRegret(9999.999, 40_000)).toBeCloseTo(0, 6);
  });

  it('is half a logarithm at the largest counts', () => {
    const total = Number.MAX_SAFE_INTEGER;
    expect(codingRegret(total / 2, total)).toBeCloseTo(Math.log((Math.PI * total) / 2) / 2, 9);
  });
});
