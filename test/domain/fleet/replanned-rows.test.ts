import { describe, expect, it } from '@jest/globals';
import { BACK_AGAIN, ENDED, FAILED, type GivenFleet, REFUSED, STOPPED } from './given-fleet.js';
import {
  afterRevision,
  fleetOfTwoWaves,
  PLANNED_ROWS,
  revisedFleet,
  SETTINGS_BEFORE,
} from './given-revision.js';

const NEW_PLANS = { ...SETTINGS_BEFORE, members: ['c0 new', 'c1 new', 'c2 new', 'c3'] };

describe('a new plan and a cluster that has ended', () => {
  it.each<[string, string, (fleet: GivenFleet) => GivenFleet]>([
    ['was refused', 'skipped', (fleet) => fleet.report(0, REFUSED)],
    ['was stopped', 'stopped', (fleet) => fleet.report(0, { ...STOPPED, changed: false })],
    ['could not start', 'failed', (fleet) => fleet.answerStart(0, 'drifted')],
    ['was turned', 'back', (fleet) => fleet.report(0, { ...BACK_AGAIN, changed: false })],
  ])(
    'is planned again where it %s before it changed, and stays %s until a person asks',
    (_what, phase, ending) => {
      const fleet = ending(fleetOfTwoWaves());
      const { members, changes } = afterRevision(fleet, { texts: NEW_PLANS });
      expect(changes.replanned).toEqual(['c0', 'c2']);
      expect(members.slice(0, 2)).toEqual([
        { from: 'plan', index: 0 },
        { from: 'before', index: 1 },
      ]);
      expect(fleet.row(0).phase).toBe(phase);
    },
  );

  it.each<[string, (fleet: GivenFleet) => GivenFleet]>([
    ['has failed after its first change', (fleet) => fleet.report(0, FAILED)],
    ['is proven', (fleet) => fleet.prove(0)],
    // The settings of its wave are the old ones too.
    ['was refused in a wave that is over', (fleet) => fleet.report(0, REFUSED).prove(1)],
  ])('keeps its plan where it %s', (_what, ending) => {
    const fleet = fleetOfTwoWaves();
    fleet.command({ verb: 'pause' }, { kind: 'wave', wave: 1 });
    const { members, changes } = afterRevision(ending(fleet), { texts: NEW_PLANS });
    expect(members[0]).toEqual({ from: 'before', index: 0 });
    expect(changes.replanned).toEqual(['c2']);
  });

  it('leaves a cluster alone that was changed and waits for another try', () => {
    const fleet = fleetOfTwoWaves();
    fleet.command({ verb: 'pause' });
    fleet.report(0, FAILED).report(1, ENDED);
    fleet.command({ verb: 'retry', only: { kind: 'failed' } });
    expect(fleet.row(0)).toMatchObject({ phase: 'waiting', burntBy: FAILED.signature });
    const texts = { ...SETTINGS_BEFORE, members: ['c1', 'c2 new', 'c3'] };
    const { members, state } = revisedFleet(fleet, {
      plan: { rows: PLANNED_ROWS.slice(1) },
      texts,
    });
    expect(members[0]).toEqual({ from: 'before', index: 0 });
    expect(state.rows[0]).toBe(fleet.row(0));
  });
});
