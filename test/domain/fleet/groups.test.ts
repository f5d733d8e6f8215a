import { describe, expect, it } from '@jest/globals';
import {
  FAILED,
  GivenFleet,
  HELD,
  MINUTE,
  PARKED,
  READY,
  rowPlans,
  rows,
  STALLED,
} from './given-fleet.js';

/** Eight clusters in each of two regions, with versions that go across; they start in this order. */
function regions(inFlight: number, groupsOf = defaultGroups): GivenFleet {
  const plans = Array.from({ length: 16 }, (_, index) => ({ groups: groupsOf(index) }));
  return new GivenFleet({ rows: rowPlans(...plans) }, { inFlight, unproven: 16 });
}

function defaultGroups(index: number): readonly string[] {
  return [`region=r${index % 2}`, `version=v${Math.floor(index / 2) % 2}`];
}

describe('correlated failures', () => {
  it('stop the narrowest group that explains them, and the others go on', () => {
    const fleet = regions(6).report(0, FAILED).report(2, FAILED);
    expect(fleet.state.groupHolds).toEqual([]);
    fleet.report(4, FAILED);
    expect(fleet.state.groupHolds.map(({ group }) => group)).toEqual(['region=r0']);
    fleet.prove(1, 3, 5);
    expect(fleet.waits(10)).toBe('group');
    expect(fleet.row(9).phase).toBe('active');
  });

  it('across regions stop the version', () => {
    const fleet = regions(8).report(0, FAILED).report(1, FAILED).report(4, FAILED);
    expect(fleet.state.groupHolds.map(({ group }) => group)).toEqual(['version=v0']);
  });

  it('across everything stop the fleet', () => {
    const fleet = regions(8, (index) => [`host=h${index}`]);
    fleet.report(0, FAILED).report(1, FAILED).report(2, FAILED);
    expect(fleet.state.groupHolds.map(({ group }) => group)).toEqual(['*']);
    expect(fleet.waits(15)).toBe('group');
  });

  it('of every region stop no region', () => {
    const fleet = regions(8, (index) => [`region=r${index % 2}`]);
    for (const row of [0, 1, 2, 3, 4]) fleet.report(row, FAILED);
    expect(fleet.state.groupHolds.map(({ group }) => group)).toEqual(['*']);
  });

  it('of different kinds stop nothing', () => {
    const fleet = regions(8);
    for (const row of [0, 2, 4]) fleet.report(row, { ...FAILED, signature: `kind ${row}` });
    expect(fleet.state.groupHolds).toEqual([]);
  });

  it('among many that pass stop nothing', () => {
    const fleet = regions(1, () => ['region=r0']);
    fleet.report(0, FAILED).tick(1);
    for (let row = 1; row < 12; row += 1) fleet.prove(row).tick(1);
    fleet.report(12, FAILED).report(13, FAILED);
    expect(fleet.state.groupHolds).toEqual([]);
  });

  it('stop a group that was healthy for long as fast as a new one', () => {
    const fleet = regions(1, () => ['region=r0']);
    for (let row = 0; row < 12; row += 1) fleet.prove(row).tick(1);
    fleet.report(12, FAILED).report(13, FAILED).report(14, FAILED);
    expect(fleet.state.groupHolds.map(({ group }) => group)).toEqual(['region=r0']);
  });

  it('of a held group that fails on are no second stop', () => {
    const fleet = regions(8);
    for (const row of [0, 2, 4, 6]) fleet.report(row, FAILED);
    expect(fleet.state.groupHolds.length).toBe(1);
  });

  it('are judged by the person who resumes the group', () => {
    const fleet = regions(6).report(0, FAILED).report(2, FAILED).report(4, FAILED).tick(1);
    const r0 = { kind: 'group', group: 'region=r0' } as const;
    expect(fleet.command({ verb: 'resume' }, { kind: 'group', group: 'region=r1' }).state).toBe(
      'refused',
    );
    expect(fleet.command({ verb: 'resume' }).state).toBe('refused');
    expect(fleet.command({ verb: 'resume' }, r0).state).toBe('applied');
    expect(fleet.acted('start')).toEqual([]);
    fleet.prove(1);
    expect(fleet.row(8).phase).toBe('active');
    fleet.report(8, FAILED);
    expect(fleet.state.groupHolds).toEqual([]);
  });

  it('hold parked clusters of the group, except those that a person retries', () => {
    const fleet = regions(6)
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED);
    fleet.report(2, HELD).report(4, FAILED).report(6, FAILED);
    fleet.report(2, PARKED).report(0, READY);
    expect(fleet.waits(0)).toBe('group');
    fleet.prove(1);
    expect(fleet.row(0).phase).toBe('parked');
    fleet.command({ verb: 'retry', only: { kind: 'all' } }, rows(0));
    expect(fleet.prove(3).row(0)).toMatchObject({ phase: 'active', grant: 2 });
  });

  it('a wave all of whose clusters are in the held group says so', () => {
    const fleet = regions(3, () => ['region=r0']);
    fleet.report(0, FAILED).report(1, FAILED).report(2, FAILED);
    const waiting = fleet.state.rows.filter(({ phase }) => phase === 'waiting');
    expect(waiting.map(({ index }) => fleet.waits(index))).toEqual(waiting.map(() => 'group'));
  });
});

describe('correlated stalls', () => {
  it('hold the admission of their group and resume by themselves', () => {
    const fleet = regions(8);
    for (const row of [0, 2, 4]) fleet.report(row, STALLED);
    expect(fleet.state.groupHolds).toEqual([]);
    fleet.prove(6);
    expect(fleet.waits(10)).toBe('group');
    expect(fleet.row(9).phase).toBe('active');
    for (const row of [0, 2, 4]) fleet.report(row, READY);
    fleet.prove(1);
    expect(fleet.row(8).phase).toBe('active');
  });

  it('hold it also when they have parked', () => {
    const fleet = regions(8);
    for (const row of [0, 2, 4]) fleet.report(row, STALLED);
    fleet
      .tick(10 * MINUTE)
      .report(0, PARKED)
      .report(2, PARKED);
    expect(fleet.waits(8)).toBe('group');
    expect(fleet.report(0, READY).waits(0)).toBe('inFlight');
  });

  it('of different causes hold nothing', () => {
    const fleet = regions(8);
    for (const row of [0, 2, 4]) fleet.report(row, { ...STALLED, signature: `cause ${row}` });
    expect(fleet.waits(8)).toBe('inFlight');
  });

  it.each(['paused', 'CCM4015 enableOnCcm'])(
    'of clusters that wait for a person hold nothing: %s',
    (signature) => {
      const fleet = regions(8);
      for (const row of [0, 2, 4]) fleet.report(row, { ...STALLED, signature });
      expect(fleet.waits(8)).toBe('inFlight');
      fleet.prove(6);
      expect(fleet.row(8).phase).toBe('active');
    },
  );

  it('of few in a large group hold nothing', () => {
    const fleet = regions(15, () => ['region=r0']);
    for (const row of [0, 1, 2]) fleet.report(row, STALLED);
    expect(fleet.waits(15)).toBe('inFlight');
  });
});
