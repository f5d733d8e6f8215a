import { describe, expect, it } from '@jest/globals';
import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import { reopenFleet } from '../../../domain/fleet/reopen-fleet.js';
import { isFleetOver } from '../../../domain/fleet/waves.js';
import { ENDED, GivenFleet, HOUR, rowPlans } from './given-fleet.js';

/** A fleet of three that a person paused and stopped: one proven, one left out because it was unreachable, one stopped half-way. */
function ended(): GivenFleet {
  const fleet = new GivenFleet({ rows: rowPlans({}, {}, {}) });
  fleet.answerStart(1, 'unreachable').prove(0);
  fleet.command({ verb: 'pause' });
  fleet.command({ verb: 'stop' });
  fleet.state = fleet.state.rows.reduce(
    (state, { index, grant }) =>
      advanceFleet(state, {
        kind: 'report',
        atMs: fleet.atMs,
        report: {
          ...{ fleetRun: 'run-1', row: index, grant, sequence: 1000 },
          what: { ...ENDED, outcome: 'stopped' },
        },
      }).state,
    fleet.state,
  );
  return fleet;
}

describe('a fleet that has ended and is opened again', () => {
  it('rolls back what it moved, whatever pause it had, and ends again', () => {
    const fleet = ended();
    expect(isFleetOver(fleet.state)).toBe(true);
    fleet.state = reopenFleet(fleet.state, 'run-2', fleet.atMs + HOUR);
    fleet.atMs += HOUR;
    const answer = fleet.command({ verb: 'rollBack' });
    expect(answer).toMatchObject({ state: 'applied', applied: 2 });
    expect(fleet.acted('start')).toEqual([2, 0]);
    fleet.report(0, { ...ENDED, outcome: 'back' }).report(2, { ...ENDED, outcome: 'back' });
    expect(fleet.phases()).toEqual(['back', 'skipped', 'back']);
    expect(isFleetOver(fleet.state)).toBe(true);
  });

  it('tries nothing again that was left out', () => {
    const fleet = ended();
    fleet.state = reopenFleet(fleet.state, 'run-2', fleet.atMs);
    expect(fleet.tick().acted('start')).toEqual([]);
    expect(fleet.row(1)).toMatchObject({ phase: 'skipped', cause: 'unreachable' });
  });

  it('a report to the former run no longer counts', () => {
    const fleet = ended();
    fleet.state = reopenFleet(fleet.state, 'run-2', fleet.atMs);
    fleet.command({ verb: 'rollBack' });
    const what = { ...ENDED, outcome: 'back' } as const;
    const report = { fleetRun: 'run-1', row: 0, grant: 2, sequence: 2000, what };
    const { state } = advanceFleet(fleet.state, { kind: 'report', atMs: fleet.atMs, report });
    expect(state.rows[0]?.phase).toBe('active');
  });
});
