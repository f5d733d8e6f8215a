import { describe, expect, it } from '@jest/globals';
import type { ReportKind } from '../../../domain/fleet/fleet-events.js';
import { viewFleet, type FleetView } from '../../../domain/fleet/fleet-view.js';

import { nextEvent } from '../../../domain/fleet/next-event.js';
import { nextTickMs } from '../../../domain/fleet/timed.js';
import {
  GivenFleet,
  BACK_AGAIN,
  ENDED,
  FAILED,
  HELD,
  HOUR,
  MINUTE,
  PARKED,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  WAVE,
} from './given-fleet.js';

function view(fleet: GivenFleet): FleetView {
  return viewFleet(fleet.state, 'prod');
}

describe('the standing of a fleet', () => {
  it.each<[string, () => GivenFleet, FleetView['standing']]>([
    ['all proven', () => new GivenFleet({ rows: rowPlans({}, {}) }).prove(0, 1), 'done'],
    [
      'stopped',
      () => {
        const fleet = new GivenFleet({ waves: [{ ...WAVE, approvals: { before: 1, after: 0 } }] });
        fleet.command({ verb: 'stop' });
        return fleet;
      },
      'stopped',
    ],
    [
      'only an approval is left',
      () => new GivenFleet({ waves: [{ ...WAVE, approvals: { before: 1, after: 0 } }] }),
      'held',
    ],
    ['nothing is open yet', () => new GivenFleet({}, { startAtMs: 1000 + HOUR }), 'waiting'],
  ])('with %s it is clear', (_case, given, standing) => {
    expect(view(given()).standing).toBe(standing);
  });
});

describe('groups of equal clusters', () => {
  it('of clusters that are tried again later the earliest time counts', () => {
    const fleet = new GivenFleet({}, { inFlight: 6, unproven: 6 }).answerStart(1, 'busy');
    fleet.tick(MINUTE).answerStart(0, 'busy').answerStart(2, 'busy');
    const [retry] = view(fleet).groups.filter(({ phase }) => phase === 'waiting');
    expect(retry).toMatchObject({
      names: ['c0', 'c1', 'c2'],
      waitsFor: { kind: 'retry', atMs: 1000 + 5 * MINUTE },
    });
  });

  it('rows are grouped by phase, cause and what they wait for', () => {
    const fleet = new GivenFleet({}, { inFlight: 3 })
      .tick(MINUTE)
      .report(0, SOAKING)
      .report(1, HELD)
      .report(1, PARKED);
    expect(
      view(fleet).groups.map(({ phase, signature, waitsFor, names }) => [
        ...[phase, signature, waitsFor?.kind ?? null, names.join(' ')],
      ]),
    ).toEqual([
      ['soaking', '', null, 'c0'],
      ['parked', 'CCM4008 removeMachine', 'person', 'c1'],
      ['active', '', null, 'c2 c3'],
      ['waiting', '', 'unproven', 'c4 c5'],
    ]);
    expect(view(fleet).groups.map(({ sinceMs }) => sinceMs)).toEqual([61_000, 61_000, 1000, 1000]);
  });

  it('clusters that are tried again at different times are one group, with the earliest', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}) }, { unreachable: 'wait' });
    fleet.answerStart(0, 'unreachable').tick(MINUTE).answerStart(1, 'unreachable');
    expect(view(fleet).groups).toMatchObject([
      {
        names: ['c0', 'c1'],
        waitsFor: { kind: 'retry', cause: 'unreachable', atMs: 1000 + 5 * MINUTE },
      },
    ]);
  });
});

describe('a cluster that waits for its guard', () => {
  const UNGUARDED = { ...HELD, heals: true, changed: false, signature: 'CCM4028 stopKcm' } as const;

  it.each<[string, ReportKind, string]>([
    ['is queued', UNGUARDED, 'queued'],
    [
      'is not queued where something else has to heal',
      { ...UNGUARDED, signature: 'CCM2001' },
      'none',
    ],
    ['is not queued where a person has to judge', { ...UNGUARDED, heals: false }, 'none'],
  ])('%s', (_, held, cause) => {
    const fleet = new GivenFleet({ rows: rowPlans({}) }).report(0, held);
    expect(view(fleet).groups).toMatchObject([{ cause, names: ['c0'] }]);
  });

  it('is not queued any more once it has ended', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) }).report(0, UNGUARDED).report(0, FAILED);
    expect(view(fleet).groups).toMatchObject([{ cause: 'none' }]);
  });
});

describe('limits and rollback', () => {
  it('what is used of each limit is counted, caps by group', () => {
    const given = rowPlans({ groups: ['region=r1'] }, { groups: ['region=r2'] }, {}, {}, {});
    const fleet = new GivenFleet(
      { rows: given },
      { caps: { region: 8 }, inFlight: 3, unproven: 9, slowStart: 2 },
    );
    fleet.report(0, SOAKING).report(1, FAILED);
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(view(fleet).limits).toEqual({
      ...{ moving: 4, turning: 1, inFlight: 3, inFlightNow: 3, unproven: 4, unprovenLimit: 9 },
      ...{ burnt: 1, atRisk: 4, budget: 100 },
      caps: [
        { group: 'region=r1', moving: 1, others: 0, cap: 8 },
        { group: 'region=r2', moving: 0, others: 0, cap: 8 },
      ],
      unlabelled: 0,
    });
  });

  it('clusters that can go back, that cannot, and those of which it is unknown are counted', () => {
    const fleet = new GivenFleet({}, { inFlight: 5, unproven: 5 });
    fleet.report(0, SOAKING).report(0, { ...ENDED, reversibility: 'notes' });
    fleet
      .report(1, { ...HELD, reversibility: 'no' })
      .report(2, BACK_AGAIN)
      .prove(3)
      .report(4, { ...HELD, reversibility: 'later' });
    expect(view(fleet).reversible).toEqual({
      ...{ can: 2, later: ['c4'], cannot: ['c1'], unknown: 1 },
    });
  });
});

describe('the next event', () => {
  it.each<[string, () => GivenFleet, object]>([
    [
      'a stall that loses its slot',
      () => new GivenFleet().report(1, STALLED),
      { kind: 'slotTakenBack', atMs: 1000 + 10 * MINUTE, subject: 'c1' },
    ],
    [
      'a start that is tried again',
      () => new GivenFleet({}, { unreachable: 'wait' }).answerStart(0, 'unreachable'),
      { kind: 'retry', atMs: 1000 + 5 * MINUTE, subject: 'c0' },
    ],
    [
      'the time by which a wave is due',
      () => new GivenFleet({ waves: [{ ...WAVE, done: { provenPercent: 95, withinMs: HOUR } }] }),
      { kind: 'waveDue', atMs: 1000 + HOUR, subject: 'main' },
    ],
    [
      'an opening',
      () =>
        new GivenFleet({ waves: [{ ...WAVE, scheduled: true }] }).openings(0, {
          ...{ opensAtMs: 5000, closesAtMs: HOUR, closedBy: 'window' },
        }),
      { kind: 'opening', atMs: 5000, subject: 'main' },
    ],
    [
      'the start',
      () => new GivenFleet({}, { startAtMs: 9000, deadlineMs: 10_000 }),
      { kind: 'startTime', atMs: 9000, subject: '' },
    ],
    ['the deadline', () => new GivenFleet({}, { deadlineMs: 9000 }), { kind: 'deadline' }],
    [
      'a soak that lasts too long',
      () => new GivenFleet({ waves: [{ ...WAVE, soakLimitMs: HOUR }] }).report(0, SOAKING),
      { kind: 'soakLimit', atMs: 1000 + HOUR, subject: 'c0' },
    ],
    [
      'limits that no one approved',
      () => {
        const fleet = new GivenFleet();
        fleet.command({ verb: 'set', inFlight: 3, unproven: null });
        return fleet;
      },
      { kind: 'limitsExpire', atMs: 1000 + 24 * HOUR },
    ],
  ])('%s is the tick that the rule asks for', (_case, given, event) => {
    const { state } = given();
    expect(nextEvent(state)).toMatchObject(event);
    expect(nextEvent(state)?.atMs).toBe(nextTickMs(state));
  });

  it('is none where only reports and people are awaited', () => {
    expect(nextEvent(new GivenFleet().state)).toBeNull();
  });
});
