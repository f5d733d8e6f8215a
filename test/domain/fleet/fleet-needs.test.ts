import { describe, expect, it } from '@jest/globals';
import { viewFleet, type FleetView } from '../../../domain/fleet/fleet-view.js';
import type { NeedYou } from '../../../domain/fleet/need-you.js';

import {
  GivenFleet,
  BACK_AGAIN,
  FAILED,
  HELD,
  HOUR,
  MINUTE,
  PARKED,
  READY,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  WAVE,
} from './given-fleet.js';

function view(fleet: GivenFleet): FleetView {
  return viewFleet(fleet.state, 'prod');
}

function needs(fleet: GivenFleet): readonly NeedYou[] {
  return view(fleet).needs;
}

/** What a person types first, without the name of the program. */
function typed(fleet: GivenFleet): readonly string[] {
  return needs(fleet).map(({ command }) => command.join(' '));
}

const TWO_WAVES = {
  waves: [
    { ...WAVE, name: 'pilot' },
    { ...WAVE, name: 'main' },
  ],
  rows: rowPlans({ canary: true }, {}, { wave: 1 }, { wave: 1 }),
};

describe('what needs a person', () => {
  it('a fleet that moves needs no one', () => {
    expect(needs(new GivenFleet())).toEqual([]);
    expect(view(new GivenFleet()).standing).toBe('progressing');
  });

  it.each<[string, () => GivenFleet, string, Partial<NeedYou>]>([
    [
      'a cluster that is held for judgement',
      () => new GivenFleet().report(0, HELD).report(0, PARKED),
      'describe prod/c0',
      {
        ...{ kind: 'held', sinceMs: 1000, why: 'held: CCM4008 removeMachine', names: ['c0'] },
        others: [
          ['retry', 'prod/c0'],
          ['rollback', 'prod/c0'],
        ],
      },
    ],
    [
      'several clusters that are held for one cause',
      () =>
        [0, 1].reduce(
          (fleet, row) => fleet.report(row, HELD).report(row, PARKED),
          new GivenFleet(),
        ),
      'describe prod/c0',
      {
        ...{ kind: 'held', subject: '2 clusters', names: ['c0', 'c1'] },
        others: [
          ['retry', 'prod', '--signature', 'CCM4008 removeMachine'],
          ['rollback', 'prod/c0'],
        ],
      },
    ],
    [
      'a cluster that failed',
      () => new GivenFleet().report(0, FAILED),
      'describe prod/c0',
      { kind: 'failed', why: 'failed: CCM4008 removeMachine' },
    ],
    [
      'a wave before its approval',
      () => new GivenFleet({ waves: [{ ...WAVE, approvals: { before: 2, after: 0 } }] }),
      'approve prod/wave/main',
      {
        ...{ kind: 'approval', sinceMs: 1000, who: 'anyone but ana' },
        why: 'waits for 2 more approvals before it begins',
        others: [['reject', 'prod/wave/main']],
      },
    ],
    [
      'a wave after its last end',
      () =>
        new GivenFleet({
          waves: [{ ...WAVE, approvals: { before: 0, after: 1 } }],
          rows: rowPlans({}),
        })
          .tick(MINUTE)
          .prove(0),
      'approve prod/wave/main',
      {
        ...{ kind: 'approval', sinceMs: 1000 + MINUTE },
        why: 'waits for 1 more approval after its last end',
      },
    ],
    [
      'a wave whose approval was refused',
      () => {
        const fleet = new GivenFleet({ waves: [{ ...WAVE, approvals: { before: 1, after: 0 } }] });
        fleet.command({ verb: 'reject', subject: { kind: 'before', wave: 0 } });
        return fleet;
      },
      'approve prod/wave/main',
      { kind: 'rejected', why: 'rejected by bo: CHG-1' },
    ],
    [
      'a wave without a proven canary',
      () => {
        const fleet = new GivenFleet(TWO_WAVES).report(0, BACK_AGAIN);
        return fleet;
      },
      'open prod/wave/pilot',
      { kind: 'canaries', others: [['retry', 'prod/wave/pilot']] },
    ],
    [
      'a wave that is due with too few proven clusters',
      () =>
        new GivenFleet({
          ...TWO_WAVES,
          waves: [
            { ...WAVE, name: 'pilot', done: { provenPercent: 100, withinMs: HOUR } },
            { ...WAVE, name: 'main' },
          ],
        }).tick(HOUR),
      'retry prod/wave/pilot',
      {
        ...{ kind: 'short', sinceMs: 1000 + HOUR },
        why: '2 proven clusters are missing for its end',
        others: [
          ['skip', 'prod/wave/pilot'],
          ['open', 'prod/wave/main'],
        ],
      },
    ],
    [
      'limits that another person must approve',
      () => {
        const fleet = new GivenFleet();
        fleet.command({ verb: 'set', inFlight: 3, unproven: null });
        return fleet;
      },
      'approve prod --limits',
      {
        kind: 'limits',
        why: 'bo asks for 3 in flight and 4 unproven, instead of 2 in flight and 4 unproven',
        who: 'anyone but bo',
      },
    ],
    [
      'a paused fleet',
      () => {
        const fleet = new GivenFleet();
        fleet.command({ verb: 'pause' });
        return fleet;
      },
      'resume prod',
      { kind: 'paused', sinceMs: 1000, subject: 'prod', why: 'paused by bo: CHG-1' },
    ],
    [
      'a frozen fleet',
      () => {
        const fleet = new GivenFleet();
        fleet.command({ verb: 'freeze' });
        return fleet;
      },
      'unfreeze prod',
      { kind: 'frozen', why: 'frozen by bo: CHG-1' },
    ],
    [
      'a paused wave',
      () => {
        const fleet = new GivenFleet();
        fleet.command({ verb: 'pause' }, { kind: 'wave', wave: 0 });
        return fleet;
      },
      'resume prod/wave/main',
      { subject: 'wave main' },
    ],
    [
      'a paused cluster',
      () => {
        const fleet = new GivenFleet();
        fleet.command({ verb: 'pause' }, rows(1));
        return fleet;
      },
      'resume prod/c1',
      { subject: 'c1', names: ['c1'] },
    ],
    [
      'a paused group',
      () => {
        const groups = ['region=r1'];
        const fleet = new GivenFleet({ rows: rowPlans({ groups }, { groups }, {}) });
        fleet.command({ verb: 'pause' }, { kind: 'group', group: 'region=r1' });
        return fleet;
      },
      'resume prod -l region=r1',
      { subject: '2 clusters' },
    ],
    [
      'a fleet past its deadline',
      () => new GivenFleet({}, { deadlineMs: 1000 + HOUR }).tick(HOUR),
      'resume prod',
      { kind: 'deadline', why: 'its deadline is over, and 4 clusters have not started' },
    ],
  ])('%s is shown with since when, why and what to type', (_case, given, command, need) => {
    const fleet = given();
    expect(typed(fleet)).toEqual([command]);
    expect(needs(fleet)[0]).toMatchObject(need);
  });

  it('a budget that is spent is shown while something waits for it', () => {
    const fleet = new GivenFleet({}, { budget: { clusters: 1, counts: 'inFlight' } });
    expect(needs(fleet)).toEqual([]);
    fleet.report(0, FAILED);
    expect(typed(fleet)).toContain('budget prod --clusters 2');
    expect(needs(fleet).find(({ kind }) => kind === 'budget')).toMatchObject({
      ...{ sinceMs: 1000, who: 'anyone but ana' },
      why: 'the failure budget is spent: 1 of 1',
    });
  });

  it('a group that failures hold is resumed by its label', () => {
    const groups = ['region=r1'];
    const fleet = new GivenFleet({ rows: rowPlans(...Array(8).fill({ groups })) }, { inFlight: 3 });
    for (const row of [0, 1, 2]) fleet.report(row, FAILED);
    expect(needs(fleet).find(({ kind }) => kind === 'group')).toMatchObject({
      subject: 'region=r1',
      why: 'failures with one cause hold it: CCM4008 removeMachine; 3 of its clusters wait',
      names: ['c0', 'c1', 'c2'],
      command: ['resume', 'prod', '-l', 'region=r1'],
    });
  });

  it('a fleet that failures of every kind of cluster hold is resumed as a whole', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}, {}, {}, {}, {}) }, { inFlight: 3 });
    for (const row of [0, 1, 2]) fleet.report(row, FAILED);
    const held = { kind: 'group', subject: 'prod', command: ['resume', 'prod'] };
    expect(needs(fleet).find(({ kind }) => kind === 'group')).toMatchObject(held);
  });

  it('failures that name no cause are shown without one, and all of them can be tried again', () => {
    const fleet = new GivenFleet({}, { inFlight: 3 });
    for (const row of [0, 1, 2]) fleet.report(row, { ...FAILED, signature: '' });
    expect(needs(fleet).find(({ kind }) => kind === 'failed')).toMatchObject({
      ...{ why: 'failed', subject: '3 clusters' },
      others: [
        ['retry', 'prod'],
        ['rollback', 'prod/c0'],
      ],
    });
  });

  it('a soak that lasts longer than its wave allows is for a person to judge', () => {
    const waves = [{ ...WAVE, soakLimitMs: HOUR }];
    const fleet = new GivenFleet({ waves }).report(0, SOAKING).tick(HOUR);
    fleet.report(0, PARKED).report(0, READY);
    expect(needs(fleet)).toMatchObject([
      { kind: 'held', why: 'soaks longer than its wave allows', names: ['c0'] },
    ]);
  });

  it('a last wave that is short of one cluster has no other wave to open', () => {
    const waves = [{ ...WAVE, done: { provenPercent: 100, withinMs: HOUR } }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({}) }).tick(HOUR);
    expect(needs(fleet)[0]).toMatchObject({
      why: '1 proven cluster is missing for its end',
      others: [['skip', 'prod/wave/main']],
    });
  });

  it('a pause whose answer is no longer kept is shown without its time', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'pause' }, rows(0, 1));
    fleet.state = { ...fleet.state, answers: {} };
    expect(needs(fleet)[0]).toMatchObject({ sinceMs: null, command: ['resume', 'prod/c0'] });
  });

  it('named approvers are shown without the one who asked', () => {
    const approvers = ['Ana', 'bo', 'cy'];
    const approvals = { before: 1, after: 0 };
    const fleet = new GivenFleet({ waves: [{ ...WAVE, approvals, approvers }] });
    expect(needs(fleet)[0]).toMatchObject({ who: 'bo, cy' });
  });

  it('what heals by itself needs no one', () => {
    const fleet = new GivenFleet()
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED);
    expect(fleet.row(0).phase).toBe('parked');
    expect(needs(fleet)).toEqual([]);
  });

  it('a failed cluster whose rollback waits for a slot needs no one', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}, {}) }, { inFlight: 1 }).report(0, FAILED);
    fleet.command({ verb: 'rollBack' }, { kind: 'fleet' });
    expect(fleet.row(0)).toMatchObject({ phase: 'failed', rollbackQueued: true });
    expect(needs(fleet)).toEqual([]);
  });

  it('of a stopped fleet only broken clusters are left to judge', () => {
    const fleet = new GivenFleet().report(0, FAILED);
    fleet.command({ verb: 'pause' });
    fleet.command({ verb: 'stop' });
    expect(needs(fleet).map(({ kind }) => kind)).toEqual(['failed']);
    expect(view(fleet).standing).toBe('stopping');
  });

  it('the end of a wave that was rolled back is approved only where another wave waits for it', () => {
    const waits = { ...WAVE, name: 'pilot', approvals: { before: 0, after: 1 } };
    const two = rowPlans({}, { wave: 1 });
    const blocked = new GivenFleet({ waves: [waits, WAVE], rows: two }).report(0, BACK_AGAIN);
    expect(typed(blocked)).toEqual(['approve prod/wave/pilot']);
    const whole = new GivenFleet({ waves: [WAVE, { ...waits, name: 'last' }], rows: two });
    whole.prove(0, 1);
    expect(typed(whole)).toEqual(['approve prod/wave/last']);
    whole.command({ verb: 'rollBack' });
    expect(typed(whole.report(1, BACK_AGAIN))).toEqual([]);
    expect(view(whole).standing).toBe('progressing');
  });

  it('of a fleet that is over only broken clusters are left to judge', () => {
    const waves = [{ ...WAVE, done: { provenPercent: 100, withinMs: HOUR } }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({}) }).report(0, FAILED);
    expect(view(fleet).standing).toBe('done');
    expect(needs(fleet).map(({ kind }) => kind)).toEqual(['failed']);
  });
});
