import { describe, expect, it } from '@jest/globals';
import { replaceRow } from '../../../domain/fleet/row-index.js';
import { longestSilentSince, silentSince } from '../../../domain/fleet/silent-rows.js';
import { GivenFleet, MINUTE, rowPlans } from './given-fleet.js';

describe('runs without news', () => {
  it('are those that are open, the longest silent ones first', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}, {}) }, { inFlight: 2, unproven: 2 });
    const beganMs = fleet.atMs;
    expect(fleet.phases()).toEqual(['active', 'active', 'waiting']);
    const [first, second] = fleet.state.rows;
    if (first === undefined || second === undefined) throw new Error('no rows');
    const rows = replaceRow(fleet.state.rows, { ...first, sinceMs: beganMs + MINUTE });
    expect(longestSilentSince(rows)).toBe(beganMs);
    expect(silentSince(rows, beganMs)).toEqual([1]);
    expect(silentSince(rows, beganMs + MINUTE)).toEqual([1, 0]);
    const soaking = replaceRow(rows, {
      ...second,
      phase: 'soaking',
      sinceMs: beganMs + 2 * MINUTE,
    });
    expect(silentSince(soaking, beganMs + 2 * MINUTE)).toEqual([0, 1]);
    const ended = replaceRow(soaking, { ...second, phase: 'proven' });
    expect(silentSince(ended, beganMs + 2 * MINUTE)).toEqual([0]);
  });

  it('are none where no run is open', () => {
    const { state } = new GivenFleet({ rows: [] });
    expect(longestSilentSince(state.rows)).toBeNull();
    expect(silentSince(state.rows, state.nowMs)).toEqual([]);
  });
});
