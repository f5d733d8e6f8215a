import { describe, expect, it } from '@jest/globals';
import {
  type BlockReason,
  ENDED_FLEET,
  type FleetGauges,
  gaugesOf,
} from '../../../domain/fleet/fleet-gauges.js';
import {
  APPROVED_BEFORE,
  FAILED,
  GivenFleet,
  HELD,
  HOUR,
  MINUTE,
  PARKED,
  rowPlans,
  SOAKING,
  WAVE,
} from './given-fleet.js';

function gauges(fleet: GivenFleet): FleetGauges {
  return gaugesOf(fleet.state, 'prod', fleet.atMs);
}

function reasons(fleet: GivenFleet): readonly string[] {
  return Object.entries(gauges(fleet).blocked).flatMap(([reason, is]) => (is ? [reason] : []));
}

describe('what a fleet is blocked by', () => {
  it.each<[string, () => GivenFleet, readonly BlockReason[]]>([
    [
      'an approval, and the wave behind it its turn',
      () =>
        new GivenFleet({
          waves: [APPROVED_BEFORE, WAVE],
          rows: rowPlans({}, { wave: 1 }),
        }),
      ['order', 'approvalBefore'],
    ],
    ['a start time', () => new GivenFleet({}, { startAtMs: 1000 + HOUR }), ['startTime']],
    [
      'a hold that needs a person, and the limit that it keeps',
      () => new GivenFleet({}, { inFlight: 1, unproven: 1 }).report(0, HELD).report(0, PARKED),
      ['unproven', 'person'],
    ],
    [
      'a window that opens',
      () =>
        new GivenFleet({ waves: [{ ...WAVE, scheduled: true }] }).openings(0, {
          ...{ opensAtMs: 1000 + HOUR, closesAtMs: 1000 + 3 * HOUR, closedBy: 'window' },
        }),
      ['window'],
    ],
    [
      'windows of which none is known to be long enough',
      () => new GivenFleet({ waves: [{ ...WAVE, scheduled: true }] }),
      ['noOpening'],
    ],
  ])('it says: %s', (_case, given, wanted) => {
    expect(reasons(given())).toEqual(wanted);
  });

  it('a fleet of which a cluster changes or soaks is not blocked, whatever the others wait for', () => {
    const fleet = new GivenFleet({}, { inFlight: 1, unproven: 1 });
    expect(reasons(fleet)).toEqual([]);
    expect(reasons(fleet.report(0, SOAKING))).toEqual([]);
    expect(gauges(fleet).clusters).toMatchObject({ soaking: 1, waiting: 5 });
  });
});

describe('the budget and the needs of a fleet', () => {
  it('what failed is taken off the budget, what changes is not', () => {
    const fleet = new GivenFleet({}, { budget: { clusters: 3, counts: 'inFlight' } });
    expect(gauges(fleet).budgetLeft).toBe(3);
    expect(gauges(fleet.report(0, FAILED)).budgetLeft).toBe(2);
  });

  it('a budget that is overdrawn has nothing left', () => {
    const policy = { inFlight: 2, budget: { clusters: 2, counts: 'inFlight' } } as const;
    const fleet = new GivenFleet({}, policy).prove(0).report(1, FAILED).report(2, FAILED);
    const state = {
      ...fleet.state,
      policy: { ...fleet.state.policy, budget: { clusters: 1, counts: 'inFlight' } },
    } as const;
    expect(gaugesOf(state, 'prod', fleet.atMs).budgetLeft).toBe(0);
  });

  it('the oldest need counts, and it ages without any event', () => {
    const fleet = new GivenFleet().tick(MINUTE).report(0, FAILED).tick(MINUTE).report(1, FAILED);
    expect(gauges(fleet).needYouOldestMs).toBe(MINUTE);
    expect(gaugesOf(fleet.state, 'prod', fleet.atMs + HOUR).needYouOldestMs).toBe(HOUR + MINUTE);
  });

  it('no one is needed: 0', () => {
    expect(gauges(new GivenFleet().tick(HOUR)).needYouOldestMs).toBe(0);
  });

  it('a need whose beginning is not recorded is as old as the fleet', () => {
    const fleet = new GivenFleet({ waves: [APPROVED_BEFORE] }).tick(HOUR);
    fleet.command({ verb: 'reject', subject: { kind: 'before', wave: 0 } });
    expect(gauges(fleet).needYouOldestMs).toBe(HOUR);
    expect(reasons(fleet)).toEqual(['rejected']);
  });

  it('a clock behind the fleet makes no need younger than new', () => {
    const fleet = new GivenFleet().report(0, FAILED);
    expect(gaugesOf(fleet.state, 'prod', 0).needYouOldestMs).toBe(0);
  });
});

describe('clusters that were left out', () => {
  it('are told by what left them out: a word of a person, or what no one chose', () => {
    const fleet = new GivenFleet({}, { inFlight: 3, drifted: 'skip' })
      .answerStart(0, 'unreachable')
      .answerStart(1, 'drifted');
    fleet.command({ verb: 'skip' }, { kind: 'rows', rows: [5] });
    const { leftOut, clusters } = gauges(fleet);
    expect(leftOut).toMatchObject({ unreachable: 1, drifted: 1, person: 1, refused: 0 });
    expect(Object.values(leftOut).reduce((sum, count) => sum + count, 0)).toBe(clusters.skipped);
  });

  it('are none where clusters failed or were rolled back', () => {
    expect(gauges(new GivenFleet().report(0, FAILED)).leftOut).toEqual(ENDED_FLEET.leftOut);
  });
});

describe('a fleet that has ended', () => {
  it('is shown with the same series as one that is open, all zero', () => {
    const { clusters, blocked, ...others } = gauges(new GivenFleet());
    expect(Object.keys(ENDED_FLEET.clusters)).toEqual(Object.keys(clusters));
    expect(Object.keys(ENDED_FLEET.blocked)).toEqual(Object.keys(blocked));
    expect(Object.keys(ENDED_FLEET.leftOut)).toEqual(Object.keys(others.leftOut));
    expect(new Set(Object.values(ENDED_FLEET.leftOut))).toEqual(new Set([0]));
    expect(new Set(Object.values(ENDED_FLEET.clusters))).toEqual(new Set([0]));
    expect(new Set(Object.values(ENDED_FLEET.blocked))).toEqual(new Set([false]));
    expect(ENDED_FLEET).toMatchObject({ budgetLeft: 0, needYouOldestMs: 0 });
    expect(others.budgetLeft).toBe(100);
  });
});
