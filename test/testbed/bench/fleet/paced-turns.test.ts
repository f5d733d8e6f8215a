import { describe, expect, it } from '@jest/globals';
import { openTurns } from '../../../../testbed/bench/fleet/paced-turns.js';

describe('turns of runs that begin', () => {
  it('come at an even pace, and those not taken are not saved up', () => {
    let nowMs = 1_000;
    const turn = openTurns(2, () => nowMs);
    expect([turn(), turn(), turn()]).toEqual([0, 500, 1_000]);
    nowMs = 10_000;
    expect([turn(), turn()]).toEqual([0, 500]);
  });

  it('are given at once without a pace', () => {
    const turn = openTurns(null, () => 0);
    expect([turn(), turn()]).toEqual([0, 0]);
  });
});
