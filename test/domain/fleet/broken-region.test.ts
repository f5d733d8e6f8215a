import { describe, expect, it } from '@jest/globals';
import { isFleetOver } from '../../../domain/fleet/waves.js';
import { simulateFleet } from '../../../domain/fleet/simulated-fleet.js';
import { MINUTE } from './given-fleet.js';
import { drawn, PAGE, PAGE_MODEL, pageFleet } from './page-fleets.js';

/** All of them: CCM_TEST_FLEET=full. */
const SEEDS = process.env['CCM_TEST_FLEET'] === 'full' ? 30 : 3;
const BROKEN = 'region=r5';
const base = { outages: [], events: [], latencyMs: 1000, personMs: null };

describe('one region of eight that is broken', () => {
  const seeds = Array.from({ length: SEEDS }, (_, seed) => seed);

  it.each(seeds)('is stopped early, and all others end (seed %s)', (seed) => {
    const fleet = drawn(pageFleet(PAGE), { ...PAGE_MODEL, failShare: 0 }, seed, 0.5);
    const rows = fleet.rows.map((row, index) => {
      const broken = fleet.state.rows[index]?.groups.includes(BROKEN);
      const fails = { afterMs: row.changeMs / 2, signature: 'CCM4008 removeMachine' };
      return broken === true ? { ...row, fails } : row;
    });
    const { state } = simulateFleet(fleet.state, { ...base, rows });
    const inRegion = state.rows.filter(({ groups }) => groups.includes(BROKEN));
    expect(inRegion.filter(({ started }) => started > 0).length).toBeLessThanOrEqual(10);
    const others = state.rows.filter((row) => !inRegion.includes(row));
    expect(others.filter(({ phase }) => phase !== 'proven')).toEqual([]);
    expect(state.groupHolds.map(({ group }) => group)).toEqual([BROKEN]);
  });
});

describe('one region that is away', () => {
  it.each([1, 20])('for %s minutes burns nothing, and needs no word', (minutes) => {
    const fleet = drawn(pageFleet(PAGE, 200), { ...PAGE_MODEL, failShare: 0 }, 1, 0.5);
    let fromMs = 0;
    simulateFleet(fleet.state, { ...base, rows: fleet.rows }, (_, __, { starts, nowMs }) => {
      if (starts === 100) fromMs = nowMs;
    });
    const outages = [{ group: BROKEN, fromMs, untilMs: fromMs + minutes * MINUTE }];
    const stalled = new Set<number>();
    const simulation = { ...base, rows: fleet.rows, outages };
    const { state } = simulateFleet(fleet.state, simulation, (_, __, after) => {
      for (const row of after.rows) if (row.heals) stalled.add(row.index);
    });
    expect(stalled.size).toBeGreaterThan(0);
    expect(state.rows.filter(({ burntMs }) => burntMs !== null)).toEqual([]);
    expect(isFleetOver(state)).toBe(true);
  });
});
