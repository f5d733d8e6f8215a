import { describe, expect, it } from '@jest/globals';
import type { Cli } from '../../../cli/cli.js';
import { effectOf, orderFor } from '../../../cli/fleets/fleet-orders.js';
import { GivenFleet, HOUR } from '../../domain/fleet/given-fleet.js';

/** `approve FLEET --limits`. */
const LIMITS = { options: { flag: (name: string) => name === 'limits' } } as unknown as Cli;

const asked = (): GivenFleet => {
  const fleet = new GivenFleet();
  fleet.command({ verb: 'set', inFlight: 3, unproven: null });
  return fleet;
};

describe('the approval of higher limits', () => {
  it('is for the numbers that were shown, and the question shows both', () => {
    const { state } = asked();
    const order = orderFor(LIMITS, 'approve', { kind: 'fleet' }, state);
    expect(order).toMatchObject({ verb: 'approve', limits: { inFlight: 3, unproven: 4 } });
    expect(effectOf(order, state)).toBe(
      'takes 3 in flight and 4 unproven, instead of 2 in flight and 4 unproven, as bo asked',
    );
  });

  it('is for none where none wait any more, which the fleet says', () => {
    const { state } = asked().tick(24 * HOUR);
    const order = orderFor(LIMITS, 'approve', { kind: 'fleet' }, state);
    expect(order).not.toHaveProperty('limits');
    expect(effectOf(order, state)).toBe('counts the approval');
    expect(effectOf(orderFor(LIMITS, 'reject', { kind: 'fleet' }, state), state)).toContain(
      'holds',
    );
  });
});
