import { describe, expect, it } from '@jest/globals';
import {
  BACK_AGAIN,
  ENDED,
  GivenFleet,
  HOUR,
  rowPlans,
  rows,
  SOAKING,
  WAVE,
} from './given-fleet.js';

const ALERT = 'automation/am';

/** Three proven clusters, two on their way forward, and one that waits. */
function moved(): GivenFleet {
  const fleet = new GivenFleet({}, { inFlight: 2, unproven: 6 }).prove(0, 1, 2);
  expect(fleet.row(3)).toMatchObject({ phase: 'active', target: 'ccm' });
  return fleet;
}

const proven = { kind: 'rows', rows: [0, 1, 2] } as const;

function backOf(fleet: GivenFleet): readonly number[] {
  return [0, 1, 2].filter((row) => fleet.row(row).phase === 'active');
}

describe('the pause of a fleet by an alert', () => {
  it('holds no rollback that was ordered before it, and brakes what goes forward', () => {
    const fleet = moved();
    fleet.command({ verb: 'rollBack' }, proven);
    fleet.report(4, ENDED);
    const began = backOf(fleet);
    fleet.command({ verb: 'pause' }, undefined, ALERT);
    const brake = fleet.actions.find(({ kind }) => kind === 'brake');
    expect(brake).toMatchObject({ rows: expect.arrayContaining([3]) });
    const [first = -1] = began;
    fleet.report(first, BACK_AGAIN);
    const next = backOf(fleet);
    expect(next).toHaveLength(1);
    expect(next).not.toEqual([first]);
    fleet.report(next[0] ?? -1, BACK_AGAIN);
    const [last = -1] = backOf(fleet);
    fleet.report(last, BACK_AGAIN);
    expect([0, 1, 2].map((row) => fleet.row(row).phase)).toEqual(['back', 'back', 'back']);
    expect(fleet.row(5).phase).toBe('waiting');
    expect(fleet.waits(5)).toBe('paused');
  });

  it('holds no rollback that is ordered after it, whose answer says so', () => {
    const fleet = moved();
    fleet.command({ verb: 'pause' }, undefined, ALERT);
    fleet.report(4, ENDED);
    const { state, detail } = fleet.command({ verb: 'rollBack' }, proven);
    expect(state).toBe('applied');
    expect(detail).not.toContain('held');
    expect(backOf(fleet)).toHaveLength(1);
  });

  it('gives way to that of a person, which holds rollbacks, too; one resume ends both', () => {
    const fleet = moved();
    fleet.command({ verb: 'pause' }, undefined, ALERT);
    const { detail } = fleet.command({ verb: 'pause' });
    expect(detail).toContain('open runs that pause at a safe point');
    const ids = fleet.state.brakes.map(({ commandId }) => commandId);
    expect(ids).toHaveLength(2);
    expect(fleet.actions).toMatchObject([{ kind: 'brake', commandId: ids[1] }]);
    fleet.report(4, ENDED);
    expect(fleet.command({ verb: 'rollBack' }, proven).detail).toContain('held by the pause of bo');
    expect(backOf(fleet)).toEqual([]);
    expect(fleet.waits(0)).toBe('paused');
    fleet.command({ verb: 'resume' });
    const released = fleet.actions.flatMap((action) =>
      action.kind === 'release' ? [action.commandId] : [],
    );
    expect(released).toEqual(ids);
    expect(fleet.state.brakes).toEqual([]);
    expect(backOf(fleet)).not.toEqual([]);
  });

  it.each([
    ['a person', 'bo'],
    ['another alert', 'automation/grafana'],
  ])('is answered as done where %s has paused it', (_who, by) => {
    const fleet = moved();
    fleet.command({ verb: 'pause' }, undefined, by);
    expect(fleet.command({ verb: 'pause' }, undefined, ALERT).detail).toBe(
      `it is paused already, by ${by}: CHG-1`,
    );
    expect(fleet.state.brakes).toHaveLength(1);
  });

  it('holds the rollback of a rehearsal, which is part of the way forward', () => {
    const fleet = new GivenFleet(
      { waves: [{ ...WAVE, rehearseRollback: true }], rows: rowPlans({ canary: true }, {}) },
      { inFlight: 1 },
    ).report(0, SOAKING);
    fleet.command({ verb: 'pause' }, undefined, ALERT);
    fleet.report(0, ENDED).tick(HOUR);
    expect(fleet.row(0)).toMatchObject({ rehearsal: 'back', rollbackQueued: true });
    expect(fleet.waits(0)).toBe('paused');
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.row(0)).toMatchObject({ rehearsal: 'none', phase: 'active', target: 'kcm' });
  });

  it('lets a rollback pass a rehearsal that waits before it', () => {
    const fleet = new GivenFleet({
      waves: [{ ...WAVE, rehearseRollback: true }],
      rows: rowPlans({ canary: true }, { canary: true }, {}),
    });
    fleet.command({ verb: 'pause' }, undefined, ALERT);
    fleet.prove(0, 1);
    expect([fleet.row(0), fleet.row(1)]).toMatchObject([
      { rehearsal: 'back', rollbackQueued: true },
      { rehearsal: 'back', rollbackQueued: true },
    ]);
    fleet.command({ verb: 'rollBack' }, rows(0, 2));
    expect(fleet.row(0)).toMatchObject({ phase: 'active', target: 'kcm' });
    expect(fleet.row(1)).toMatchObject({ phase: 'proven', rehearsal: 'back' });
  });
});
