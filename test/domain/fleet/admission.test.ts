import { describe, expect, it } from '@jest/globals';
import { budgetOf } from '../../../domain/fleet/fleet-plan.js';
import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import { beginFleet } from '../../../domain/fleet/fleet-state.js';
import { waitReason } from '../../../domain/fleet/wait-reasons.js';
import {
  FAILED,
  GivenFleet,
  HELD,
  HOUR,
  MINUTE,
  PARKED,
  plan,
  READY,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  WAVE,
} from './given-fleet.js';

const GROUPS = (...names: readonly string[]) =>
  rowPlans(...names.map((name) => ({ groups: [`region=${name}`] })));

describe('in flight', () => {
  it('so many change at a time', () => {
    const fleet = new GivenFleet();
    expect(fleet.phases().filter((phase) => phase === 'active').length).toBe(2);
    expect(fleet.waits(2)).toBe('inFlight');
    expect(fleet.report(0, SOAKING).acted('start')).toEqual([2]);
  });

  it('a stall keeps its slot until it parks', () => {
    const fleet = new GivenFleet().report(0, STALLED);
    expect(fleet.acted('start')).toEqual([]);
    fleet.tick(10 * MINUTE - 1);
    expect(fleet.actions).toEqual([]);
    fleet.tick(1);
    expect(fleet.acted('park')).toEqual([0]);
    expect(fleet.acted('start')).toEqual([]);
    expect(fleet.report(0, PARKED).acted('start')).toEqual([2]);
  });

  it('with one slot and one unproven cluster, one goes after the other to its end', () => {
    const fleet = new GivenFleet({}, { inFlight: 1, unproven: 1 });
    for (const row of [0, 1, 2, 3, 4, 5]) {
      expect(fleet.row(row).phase).toBe('active');
      fleet.report(row, SOAKING);
      expect(fleet.acted('start')).toEqual([]);
      fleet.prove(row);
    }
    expect(fleet.phases()).toEqual(Array(6).fill('proven'));
  });

  it('a lower limit starts none and breaks none', () => {
    const fleet = new GivenFleet({}, { inFlight: 4 });
    const set = { verb: 'set', inFlight: 1, unproven: null } as const;
    expect(fleet.command(set)).toMatchObject({ state: 'applied' });
    expect(fleet.actions).toEqual([]);
    fleet.report(0, SOAKING).report(1, SOAKING).report(2, SOAKING);
    expect(fleet.acted('start')).toEqual([]);
  });
});

describe('unproven', () => {
  it('counts what changes, soaks or is parked', () => {
    const fleet = new GivenFleet({}, { inFlight: 2, unproven: 3 });
    fleet.report(0, HELD).report(0, PARKED).report(1, SOAKING);
    expect(fleet.phases()).toEqual([
      'parked',
      'soaking',
      'active',
      'waiting',
      'waiting',
      'waiting',
    ]);
    expect(fleet.waits(3)).toBe('unproven');
    expect(fleet.prove(1).acted('start')).toEqual([3]);
  });
});

describe('the budget', () => {
  it('of a percentage is rounded down, and at least one', () => {
    expect([budgetOf(5, 99), budgetOf(1, 20)]).toEqual([4, 1]);
  });

  it('reserves for what changes', () => {
    const budget = { clusters: 2, counts: 'inFlight' } as const;
    const fleet = new GivenFleet({}, { inFlight: 3, unproven: 6, budget });
    expect(fleet.phases().filter((phase) => phase === 'active').length).toBe(2);
    expect(fleet.waits(2)).toBe('budget');
    fleet.report(0, SOAKING);
    expect(fleet.acted('start')).toEqual([2]);
  });

  it('can reserve until the soak is over', () => {
    const budget = { clusters: 2, counts: 'untilProven' } as const;
    const fleet = new GivenFleet({}, { inFlight: 3, unproven: 6, budget }).report(0, SOAKING);
    expect(fleet.acted('start')).toEqual([]);
    expect(fleet.waits(2)).toBe('budget');
    expect(fleet.prove(0).acted('start')).toEqual([2]);
  });

  it('below the slow start is the limit', () => {
    const budget = { clusters: 1, counts: 'inFlight' } as const;
    const fleet = new GivenFleet({}, { inFlight: 4, slowStart: 4, budget });
    expect(fleet.phases().filter((phase) => phase === 'active').length).toBe(1);
  });

  it('stops starts when it is spent, and a second person can raise it', () => {
    const budget = { clusters: 1, counts: 'inFlight' } as const;
    const fleet = new GivenFleet({}, { budget }).report(0, FAILED);
    expect(fleet.acted('start')).toEqual([]);
    expect(fleet.waits(1)).toBe('budget');
    const more = { verb: 'budget', clusters: 2 } as const;
    expect(fleet.command(more, undefined, 'ana').state).toBe('refused');
    expect(fleet.command({ verb: 'budget', clusters: 0 }).state).toBe('refused');
    fleet.command(more);
    expect(fleet.acted('start')).toEqual([1]);
  });

  it('does not count a cluster again that burnt, parked or failed', () => {
    const budget = { clusters: 1, counts: 'inFlight' } as const;
    const parked = new GivenFleet({}, { budget }).report(0, HELD).report(0, PARKED);
    parked.command({ verb: 'retry', only: { kind: 'all' } }, rows(0));
    expect(parked.acted('grant')).toEqual([0]);
    const failed = new GivenFleet({}, { budget }).report(0, FAILED);
    failed.command({ verb: 'retry', only: { kind: 'all' } }, rows(0));
    expect(failed.acted('start')).toEqual([0]);
  });

  it('is not touched by stalls', () => {
    const budget = { clusters: 3, counts: 'inFlight' } as const;
    const fleet = new GivenFleet({}, { inFlight: 1, budget });
    fleet
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED)
      .report(0, READY);
    expect(fleet.state.rows.filter(({ burntMs }) => burntMs !== null)).toEqual([]);
  });
});

describe('slow start', () => {
  it('lets one more start for each that passed', () => {
    const fleet = new GivenFleet({}, { inFlight: 6, unproven: 6, slowStart: 1 });
    expect(fleet.phases().filter((phase) => phase === 'active').length).toBe(1);
    expect(fleet.report(0, SOAKING).acted('start')).toEqual([1, 2]);
    expect(fleet.report(1, FAILED).acted('start')).toEqual([3]);
  });

  it('takes the longest first only when it no longer ramps', () => {
    const longest = rowPlans({}, {}, {}, {}, { expectedMs: 200_000 }, { expectedMs: 300_000 });
    const fleet = new GivenFleet({ rows: longest }, { slowStart: 1, unproven: 6 });
    expect(fleet.row(0).phase).toBe('active');
    expect(fleet.report(0, SOAKING).acted('start')).toEqual([5, 4]);
  });
});

describe('caps', () => {
  it('count the clusters of one value, and the others are stepped over to', () => {
    const plans = GROUPS('r1', 'r1', 'r1', 'r2', 'r2');
    const fleet = new GivenFleet({ rows: plans }, { caps: { region: 1 }, inFlight: 4 });
    expect(fleet.phases()).toEqual(['active', 'waiting', 'waiting', 'active', 'waiting']);
    expect(fleet.waits(1)).toBe('cap');
    expect(fleet.report(0, SOAKING).acted('start')).toEqual([1]);
  });

  it('hold for parked clusters that want their slot again', () => {
    const plans = GROUPS('r1', 'r1');
    const fleet = new GivenFleet({ rows: plans }, { caps: { region: 1 } });
    fleet
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED)
      .report(0, READY);
    expect(fleet.waits(0)).toBe('cap');
    expect(fleet.report(1, SOAKING).acted('grant')).toEqual([0]);
  });
});

describe('time', () => {
  it('nothing starts before the start time', () => {
    const fleet = new GivenFleet({}, { startAtMs: HOUR });
    expect(fleet.waits(0)).toBe('wave');
    fleet.tick(HOUR);
    expect(fleet.acted('start')).toEqual([0, 1]);
  });

  it('nothing starts after the deadline, until a person resumes', () => {
    const fleet = new GivenFleet({}, { deadlineMs: HOUR }).tick(HOUR).prove(0);
    expect(fleet.acted('start')).toEqual([]);
    expect(fleet.waits(2)).toBe('deadline');
    expect(fleet.command({ verb: 'resume' }).state).toBe('applied');
    expect(fleet.acted('start')).toEqual([2]);
  });

  it('resuming before the deadline keeps it', () => {
    const fleet = new GivenFleet({}, { deadlineMs: HOUR });
    expect(fleet.command({ verb: 'resume' }).state).toBe('refused');
    expect(fleet.state.policy.deadlineMs).toBe(HOUR);
  });

  it('never goes back', () => {
    const fleet = new GivenFleet().tick(HOUR);
    const { nowMs } = fleet.state;
    expect(advanceFleet(fleet.state, { kind: 'tick', atMs: 5 }).state.nowMs).toBe(nowMs);
  });
});

describe('openings', () => {
  const scheduled = { waves: [{ ...WAVE, scheduled: true }] };
  const opening = (opensAtMs: number, closesAtMs: number) =>
    ({ opensAtMs, closesAtMs, closedBy: 'exclusion' }) as const;

  it('that are not known start nothing', () => {
    const fleet = new GivenFleet(scheduled);
    expect(waitReason(fleet.state, fleet.row(0))).toEqual({
      kind: 'window',
      closedBy: 'window',
      opensAtMs: null,
    });
  });

  it('that are too short never fit, and the row says so', () => {
    const fleet = new GivenFleet(scheduled).openings(0, opening(0, 151_000 - 1));
    expect(waitReason(fleet.state, fleet.row(0))).toMatchObject({ opensAtMs: null });
    fleet.openings(9, opening(0, HOUR));
    expect(fleet.actions).toEqual([]);
    expect(fleet.openings(0, opening(0, 151_000)).acted('start')).toEqual([0, 1]);
  });

  it('that come are waited for', () => {
    const fleet = new GivenFleet(scheduled).openings(0, opening(0, 2000), opening(HOUR, 2 * HOUR));
    expect(waitReason(fleet.state, fleet.row(0))).toEqual({
      kind: 'window',
      closedBy: 'exclusion',
      opensAtMs: HOUR,
    });
    expect(fleet.tick(HOUR).acted('start')).toEqual([0, 1]);
  });

  it('keep a parked cluster, too, and never a rollback', () => {
    const fleet = new GivenFleet(scheduled).openings(0, opening(0, HOUR));
    fleet.report(0, STALLED).tick(HOUR).report(0, PARKED).report(0, READY);
    expect(fleet.waits(0)).toBe('window');
    fleet.command({ verb: 'rollBack' });
    expect(fleet.acted('turn')).toEqual([1, 0]);
  });
});

describe('a row of a wave that the plan does not have', () => {
  it('never starts', () => {
    const given = beginFleet(plan({ rows: rowPlans({ wave: 3 }) }), 0);
    const { state, actions } = advanceFleet(given, { kind: 'tick', atMs: 0 });
    expect(actions).toEqual([]);
    expect(state.rows.map((row) => waitReason(state, row)?.kind)).toEqual(['wave']);
  });
});

describe('a row that moves or has ended', () => {
  it('waits for nothing', () => {
    const fleet = new GivenFleet().prove(0);
    expect([fleet.waits(0), fleet.waits(1)]).toEqual([null, null]);
  });
});
