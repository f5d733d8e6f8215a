import { describe, expect, it } from '@jest/globals';
import {
  FAILED,
  GivenFleet,
  HELD,
  MINUTE,
  PARKED,
  plan,
  POLICY,
  READY,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  WAVE,
} from './given-fleet.js';
import { admit } from '../../../domain/fleet/admit-rows.js';
import { beginFleet } from '../../../domain/fleet/fleet-state.js';
import { ALONE } from '../../../domain/fleet/other-runs.js';

const ONE_SLOT = { inFlight: 1, unproven: 9 };

/** Rows that are kept back together must be so for what all of them have in common. */
describe('the first of a queue that waits for something of its own', () => {
  it('does not keep back one that burnt and is in the budget already', () => {
    const budget = { clusters: 1, counts: 'inFlight' } as const;
    const fleet = new GivenFleet({ rows: rowPlans({}, {}) }, { inFlight: 2, budget });
    fleet.report(0, FAILED);
    expect(fleet.waits(1)).toBe('budget');
    fleet.command({ verb: 'retry', only: { kind: 'failed' } });
    expect(fleet.acted('start')).toEqual([0]);
    // It is no longer asked for, only burnt.
    fleet.answerStart(0, 'busy');
    expect(fleet.tick(5 * MINUTE).acted('start')).toEqual([0]);
  });

  it('does not keep back one for the last pass that a person asked for', () => {
    const waves = [{ ...WAVE, done: { provenPercent: 30, withinMs: MINUTE } }, WAVE];
    const plans = rowPlans({}, {}, {}, { wave: 1 });
    const fleet = new GivenFleet({ waves, rows: plans }, { inFlight: 1 });
    fleet.command({ verb: 'pause' }, rows(1, 2));
    fleet.prove(0).tick(2 * MINUTE);
    expect([fleet.row(1).lastPass, fleet.row(2).lastPass]).toEqual([true, true]);
    fleet.command({ verb: 'resume' }, rows(1, 2));
    fleet.command({ verb: 'skip' }, rows(2));
    fleet.command({ verb: 'retry', only: { kind: 'skipped' } }, rows(2));
    expect(fleet.waits(1)).toBe('lastPass');
    expect(fleet.report(3, SOAKING).acted('start')).toEqual([2]);
  });

  it('does not keep back one of another group', () => {
    const plans = rowPlans(
      ...['region=r1', 'region=r1', 'region=r2'].map((group) => ({ groups: [group] })),
    );
    const correlated = { failures: 1, sharePercent: 25 };
    const fleet = new GivenFleet({ rows: plans }, { ...ONE_SLOT, correlated });
    fleet.report(0, FAILED);
    expect([fleet.waits(1), fleet.acted('start')]).toEqual(['group', [2]]);
  });

  it('does not keep back one for which its window is long enough', () => {
    const waves = [{ ...WAVE, scheduled: true }];
    const plans = rowPlans({ expectedMs: 10 * MINUTE }, { expectedMs: MINUTE });
    const fleet = new GivenFleet({ waves, rows: plans });
    const opensAtMs = fleet.atMs;
    fleet.openings(0, { opensAtMs, closesAtMs: opensAtMs + 5 * MINUTE, closedBy: 'window' });
    expect([fleet.waits(0), fleet.acted('start')]).toEqual(['window', [1]]);
  });

  it('does not keep back one without a brake of its own', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}, {}) }, ONE_SLOT);
    fleet.command({ verb: 'pause' }, rows(1));
    expect(fleet.report(0, SOAKING).acted('start')).toEqual([2]);
  });

  it('does not keep back one whose time to try again has come', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}) });
    fleet.answerStart(1, 'busy').tick(MINUTE).answerStart(0, 'busy');
    expect(fleet.tick(4 * MINUTE).acted('start')).toEqual([1]);
  });

  it('does not keep back a parked one that is ready', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}, {}) }, { inFlight: 3, unproven: 3 });
    fleet.report(0, HELD).report(0, PARKED);
    fleet.report(1, STALLED).tick(10 * MINUTE);
    fleet.report(1, PARKED);
    expect(fleet.report(1, READY).acted('grant')).toEqual([1]);
  });

  it('does not keep back a parked one while it stops', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}, {}) }, { inFlight: 3, unproven: 3 });
    for (const row of [0, 1]) fleet.report(row, STALLED);
    fleet
      .tick(10 * MINUTE)
      .report(0, PARKED)
      .report(1, PARKED);
    fleet.command({ verb: 'stop' }, rows(0));
    expect(fleet.report(1, READY).acted('grant')).toEqual([1]);
  });

  it('is looked at with the caps that hold now', () => {
    const plans = rowPlans({ groups: ['zone=a'] }, { groups: ['zone=a'] }, { groups: ['zone=b'] });
    const state = { ...beginFleet(plan({ rows: plans }), 0), otherRuns: ALONE };
    const starts = (caps: Readonly<Record<string, number>>): readonly number[] =>
      admit({ ...state, policy: { ...POLICY, caps } }).actions.flatMap((action) =>
        action.kind === 'start' ? [action.row] : [],
      );
    const spent = { clusters: 0, counts: 'inFlight' } as const;
    expect(admit({ ...state, policy: { ...POLICY, budget: spent } }).actions).toEqual([]);
    expect(starts({ zone: 1 })).toEqual([0, 2]);
  });
});
