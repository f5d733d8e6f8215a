import { describe, expect, it } from '@jest/globals';
import { parseDuration } from '../../config/duration.js';

describe('parseDuration', () => {
  it.each([
    ['0s', 0],
    ['500ms', 500],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['1h30m', 5_400_000],
    ['1h2m3s4ms', 3_723_004],
  ])('reads "%s"', (written, ms) => {
    expect(parseDuration(written)).toBe(ms);
  });

  it.each(['', '30', 's', '-1s', '1.5h', '1 h', '1d', '30M', '99999999999999999h'])(
    'refuses "%s"',
    (written) => {
      expect(parseDuration(written)).toBeNull();
    },
  );
});
