import { describe, expect, it } from '@jest/globals';
import type { RolloutPolicy } from '../../../domain/fleet/fleet-plan.js';
import type { DurationModel } from '../../../domain/fleet/forecast.js';
import { lowerBound } from '../../../domain/fleet/lower-bound.js';
import { simulateFleet } from '../../../domain/fleet/simulated-fleet.js';
import { MINUTE } from './given-fleet.js';
import { drawn, PAGE, PAGE_MODEL, pageFleet } from './page-fleets.js';

/** Each case with more seeds: CCM_TEST_FLEET=full. */
const SEEDS = process.env['CCM_TEST_FLEET'] === 'full' ? [1, 2, 3, 4, 5] : [1];

/** Clusters that take ten times as long are known to the plan. */
function overBound(policy: RolloutPolicy, model: DurationModel, seed: number): number {
  const fleet = drawn(pageFleet(policy), model, seed, 1);
  const outside = { outages: [], events: [], latencyMs: 0, personMs: null };
  const { state, journal } = simulateFleet(fleet.state, { ...outside, rows: fleet.rows });
  return state.nowMs / lowerBound(policy, journal);
}

const UNPROVEN = { ...PAGE, unproven: 200 };
const CAPS = { ...PAGE, caps: { region: 8 } };
const BENCH = { ...PAGE, unproven: 100 };

describe('the time of a thousand clusters', () => {
  it.each([
    ['50 in flight', PAGE, PAGE_MODEL],
    ['200 unproven', UNPROVEN, { ...PAGE_MODEL, soakMs: 30 * MINUTE }],
    ['a cap of 8 in each region', CAPS, PAGE_MODEL],
    ['short soaks', BENCH, { ...PAGE_MODEL, soakMs: MINUTE }],
  ])('with %s is at most a quarter above the lower bound', (_, policy, model) => {
    const ratios = SEEDS.map((seed) => overBound(policy, model, seed));
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(1.25);
  });
});
