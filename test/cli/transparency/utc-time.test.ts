import { describe, expect, it } from '@jest/globals';
import { utcTimeOf } from '../../../cli/transparency/utc-time.js';

describe('a time', () => {
  it.each([
    ['2026-11-27T01:02:03Z', 1_795_741_323],
    ['2026-11-27T01:02:03.999999999Z', 1_795_741_323],
    ['', NaN],
    ['2026-11-27T01:02:03', NaN],
    ['2026-11-27T01:02:03+01:00', NaN],
    ['2026-02-31T00:00:00Z', NaN],
    ['2026-11-27T24:00:00Z', NaN],
    ['2026-11-27T23:59:60Z', NaN],
    ['2026-13-27T01:02:03Z', NaN],
  ])('%j is second %p', (at, seconds) => {
    expect(utcTimeOf(at)).toEqual({ at, seconds });
  });
});
