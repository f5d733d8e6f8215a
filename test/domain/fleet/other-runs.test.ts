import { describe, expect, it } from '@jest/globals';
import { decodeFleet, encodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import { viewFleet } from '../../../domain/fleet/fleet-view.js';
import { othersMatter } from '../../../domain/fleet/others-matter.js';
import { UNKNOWN } from '../../../domain/fleet/other-runs.js';
import { reopenFleet } from '../../../domain/fleet/reopen-fleet.js';
import type { RolloutPolicy, RowPlan } from '../../../domain/fleet/fleet-plan.js';
import { waitReason } from '../../../domain/fleet/wait-reasons.js';
import {
  GivenFleet,
  MINUTE,
  PARKED,
  READY,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
} from './given-fleet.js';

const CAPPED = { caps: { region: 1 }, inFlight: 4 } as const;

const R1 = { groups: ['region=r1', 'rack=a'] };

function fleetOf(
  policy: Partial<RolloutPolicy> = CAPPED,
  plans: readonly Partial<RowPlan>[] = [R1, R1],
): GivenFleet {
  return new GivenFleet({ rows: rowPlans(...plans) }, policy, UNKNOWN);
}

describe('runs of others', () => {
  it('let nothing start in a group with a cap before they have been counted', () => {
    const fleet = fleetOf();
    expect(fleet.phases()).toEqual(['waiting', 'waiting']);
    expect(waitReason(fleet.state, fleet.row(0))).toEqual({
      ...{ kind: 'others', group: 'region=r1', countedAtMs: null },
    });
    expect(fleet.others({}).acted('start')).toEqual([0]);
  });

  it('do not matter to clusters in no group with a cap', () => {
    const fleet = fleetOf(CAPPED, [R1, { groups: ['rack=a'] }]);
    expect(fleet.phases()).toEqual(['waiting', 'active']);
  });

  it('do not matter to a fleet without caps', () => {
    expect(fleetOf({}).phases()).toEqual(['active', 'active']);
  });

  it('count in the cap of their group alone', () => {
    const fleet = fleetOf(CAPPED, [R1, { groups: ['region=r2'] }]).others({ 'region=r1': 1 });
    expect(fleet.phases()).toEqual(['waiting', 'active']);
    expect(waitReason(fleet.state, fleet.row(0))).toEqual({
      ...{ kind: 'cap', group: 'region=r1', cap: 1, others: 1 },
    });
    expect(fleet.others({}).acted('start')).toEqual([0]);
  });

  it('are added to what the fleet itself changes', () => {
    const fleet = fleetOf({ ...CAPPED, caps: { region: 2 } }).others({ 'region=r1': 1 });
    expect(fleet.phases()).toEqual(['active', 'waiting']);
    expect(fleet.report(0, SOAKING).acted('start')).toEqual([1]);
  });

  it('are unknown again when the last count is more than three minutes old', () => {
    const fleet = fleetOf().others({});
    fleet.tick(3 * MINUTE).report(0, SOAKING);
    expect(fleet.acted('start')).toEqual([1]);
    const late = fleetOf().others({});
    late.tick(3 * MINUTE + 1).report(0, SOAKING);
    expect(waitReason(late.state, late.row(1))).toEqual({
      ...{ kind: 'others', group: 'region=r1', countedAtMs: 1000 },
    });
    expect(late.others({}).acted('start')).toEqual([1]);
  });

  it('are counted from when the server was asked, and a later answer is not replaced by an earlier one', () => {
    const fleet = fleetOf().tick(5 * MINUTE);
    const { atMs } = fleet;
    const asked = { kind: 'otherRuns', revision: 1, atMs, counts: {}, unlabelled: 0 } as const;
    fleet.tell({ ...asked, askedAtMs: atMs - 4 * MINUTE });
    expect(fleet.waits(0)).toBe('others');
    fleet.others({ 'region=r1': 1 });
    fleet.tell({ ...asked, askedAtMs: atMs - 1 });
    expect(fleet.waits(0)).toBe('cap');
  });

  it('delay no rollback, and no parked cluster that wants its slot again', () => {
    const fleet = fleetOf({ ...CAPPED, caps: { region: 2 } }).others({});
    fleet
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED)
      .report(1, SOAKING);
    fleet.others({ 'region=r1': 2 }).report(0, READY);
    expect(fleet.acted('grant')).toEqual([0]);
    const unknown = fleetOf({ ...CAPPED, caps: { region: 2 } }).others({});
    unknown
      .report(0, SOAKING)
      .report(1, SOAKING)
      .tick(10 * MINUTE);
    unknown.command({ verb: 'rollBack' }, rows(0, 1));
    expect(unknown.acted('turn')).toEqual([1, 0]);
  });

  it('are shown beside what the fleet itself changes', () => {
    const fleet = fleetOf();
    const limits = () => viewFleet(fleet.state, 'f').limits;
    expect(limits().caps).toEqual([{ group: 'region=r1', moving: 0, others: null, cap: 1 }]);
    expect(limits().unlabelled).toBe(0);
    fleet.others({ 'region=r1': 2 }, 3);
    expect(limits().caps).toEqual([{ group: 'region=r1', moving: 0, others: 2, cap: 1 }]);
    expect(limits().unlabelled).toBe(3);
  });

  it('have been the same since their counts last changed', () => {
    const fleet = fleetOf().others({ 'region=r1': 1 });
    const since = (): unknown =>
      fleet.state.otherRuns.kind === 'counted' && fleet.state.otherRuns.sinceMs;
    fleet.tick(1000).others({ 'region=r1': 1 });
    expect(since()).toBe(1000);
    fleet.tick(1000).others({ 'region=r1': 1 }, 1);
    expect(since()).toBe(3000);
    fleet.tick(1000).others({}, 1);
    expect(since()).toBe(4000);
    fleet.tick(1000).others({ 'region=r1': 1 }, 1);
    expect(since()).toBe(5000);
  });

  it('are carried with their age, and unknown after a build that did not count them and in a fleet that is opened again', () => {
    const { state } = fleetOf().others({ 'region=r1': 1 });
    expect(decodeFleet(encodeFleet(state)).otherRuns).toEqual(state.otherRuns);
    const earlier = { ...encodeFleet(state), otherRuns: {} };
    expect(decodeFleet(earlier).otherRuns).toEqual(UNKNOWN);
    expect(reopenFleet(state, 'run-2', 5000).otherRuns).toEqual(UNKNOWN);
  });
});

describe('whether runs of others matter', () => {
  it.each<[boolean, string, () => GivenFleet]>([
    [false, 'without caps', () => fleetOf({ inFlight: 1 })],
    [true, 'before the first start', () => fleetOf()],
    [true, 'while a cap is full', () => fleetOf().others({ 'region=r1': 1 })],
    [true, 'while its own clusters fill the cap', () => fleetOf().others({})],
    [
      true,
      'while clusters in flight leave no place',
      () => fleetOf({ ...CAPPED, caps: { region: 2 }, inFlight: 1 }).others({}),
    ],
    [
      false,
      'where only clusters in no group with a cap wait',
      () => fleetOf({ ...CAPPED, inFlight: 1 }, [{}, {}]),
    ],
    [false, 'when everything has started', () => fleetOf(CAPPED, [R1]).others({})],
    [
      false,
      'while clusters soak and nothing else may start',
      () =>
        fleetOf({ ...CAPPED, unproven: 1 })
          .others({})
          .report(0, SOAKING),
    ],
    [
      false,
      'while the fleet is paused',
      () => {
        const fleet = fleetOf();
        fleet.command({ verb: 'pause' });
        return fleet;
      },
    ],
    [
      false,
      'while every cluster that waits is paused by itself',
      () => {
        const fleet = fleetOf();
        fleet.command({ verb: 'pause' }, rows(0, 1));
        return fleet;
      },
    ],
  ])('%s: %s', (matters, _, given) => {
    expect(othersMatter(given().state)).toBe(matters);
  });
});
