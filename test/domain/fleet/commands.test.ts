import { describe, expect, it } from '@jest/globals';
import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import { isFleetOver } from '../../../domain/fleet/waves.js';
import { nextTickMs } from '../../../domain/fleet/timed.js';
import {
  ENDED,
  FAILED,
  GivenFleet,
  HELD,
  HOUR,
  MINUTE,
  PARKED,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  STOPPED,
  WAVE,
} from './given-fleet.js';

const ALL = { verb: 'retry', only: { kind: 'all' } } as const;
const REGIONS = rowPlans(
  { groups: ['region=r1'] },
  { groups: ['region=r1'] },
  { groups: ['region=r2'], wave: 1 },
  { groups: ['region=r2'], wave: 1 },
);
const TWO_WAVES = { waves: [WAVE, { ...WAVE, name: 'last' }], rows: REGIONS };

describe('a command', () => {
  it('is answered once: the same id again changes nothing', () => {
    const fleet = new GivenFleet();
    const command = {
      commandId: 'x',
      actor: 'bo',
      reason: '',
      fleetRun: 'run-1',
      scope: rows(0),
      order: { verb: 'stop' },
    } as const;
    fleet.tell({ kind: 'command', atMs: 1000, command });
    expect(fleet.acted('withdraw')).toEqual([0]);
    const { state } = fleet;
    fleet.tell({ kind: 'command', atMs: 1000, command: { ...command, scope: rows(1) } });
    expect(fleet.actions).toEqual([]);
    expect(fleet.state).toEqual(state);
    expect(state.answers['x']).toEqual({
      ...{ verb: 'stop', actor: 'bo', atMs: 1000, state: 'applied', applied: 1, refused: 0 },
      detail: 'stop at the next safe point',
    });
  });

  it('keeps the last thousand answers', () => {
    const fleet = new GivenFleet();
    for (let count = 0; count < 1002; count += 1) fleet.command({ verb: 'resume' });
    expect(Object.keys(fleet.state.answers).length).toBe(1000);
    expect(fleet.state.answers['command-2']).toBeUndefined();
  });

  it('to no cluster, or to none where it applies, is refused', () => {
    const fleet = new GivenFleet();
    expect(fleet.command({ verb: 'skip' }, rows(99)).state).toBe('refused');
    expect(fleet.command({ verb: 'skip' }, rows(0)).state).toBe('refused');
    expect(fleet.command({ verb: 'skip' })).toMatchObject({ applied: 4, refused: 2 });
  });

  it('reaches a group by its name', () => {
    const fleet = new GivenFleet({ rows: REGIONS }, { inFlight: 1 });
    fleet.command({ verb: 'skip' }, { kind: 'group', group: 'region=r2' });
    expect(fleet.phases().slice(2)).toEqual(['skipped', 'skipped']);
  });
});

describe('pause', () => {
  it('of the fleet stops admission and brakes open runs; resume releases them', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'pause' });
    expect(fleet.actions).toEqual([{ kind: 'brake', commandId: 'command-1', rows: [0, 1] }]);
    fleet.report(0, SOAKING);
    expect(fleet.actions).toEqual([]);
    expect(fleet.waits(2)).toBe('paused');
    fleet.command({ verb: 'resume' });
    expect(fleet.actions[0]).toEqual({ kind: 'release', commandId: 'command-1', rows: [0, 1] });
    expect(fleet.acted('start')).toEqual([2]);
  });

  it('is kept when another person pauses again', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'pause' });
    expect(fleet.command({ verb: 'pause' }, undefined, 'cy')).toMatchObject({
      state: 'applied',
      detail: 'it is paused already, by bo: CHG-1',
    });
    expect(fleet.state.brakes).toHaveLength(1);
    // Its runs are told of the first one again: the answer says whom that has not reached.
    const commandId = fleet.state.brakes[0]?.commandId ?? '';
    expect(fleet.actions).toEqual([{ kind: 'brake', commandId, rows: [0, 1] }]);
    fleet.command({ verb: 'freeze' });
    expect(fleet.command({ verb: 'freeze' }).detail).toBe('it is frozen already, by bo: CHG-1');
  });

  it('is cleared only by the resume of its own scope', () => {
    const fleet = new GivenFleet(TWO_WAVES);
    fleet.command({ verb: 'pause' }, { kind: 'wave', wave: 1 });
    expect(fleet.command({ verb: 'resume' }).state).toBe('refused');
    expect(fleet.prove(0, 1).acted('start')).toEqual([]);
    fleet.command({ verb: 'resume' }, { kind: 'wave', wave: 1 });
    expect(fleet.acted('start')).toEqual([2, 3]);
  });

  it('of rows is released row by row', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'pause' }, rows(0, 1));
    fleet.command({ verb: 'resume' }, rows(0));
    expect(fleet.actions).toEqual([{ kind: 'release', commandId: 'command-1', rows: [0] }]);
    fleet.command({ verb: 'resume' }, rows(1, 2));
    expect(fleet.actions).toEqual([{ kind: 'release', commandId: 'command-1', rows: [1] }]);
    expect(fleet.state.brakes).toEqual([]);
  });

  it('of a group pauses its clusters', () => {
    const fleet = new GivenFleet({ rows: REGIONS, waves: [WAVE, WAVE] }, { inFlight: 1 });
    const r1 = { kind: 'group', group: 'region=r1' } as const;
    fleet.command({ verb: 'pause' }, r1);
    fleet.prove(0);
    expect(fleet.waits(1)).toBe('paused');
    fleet.command({ verb: 'resume' }, r1);
    expect(fleet.acted('start')).toEqual([1]);
  });

  it('keeps parked clusters and queued rollbacks', () => {
    const fleet = new GivenFleet().prove(0).report(1, HELD).report(1, PARKED);
    fleet.command({ verb: 'pause' });
    fleet.command({ verb: 'rollBack' });
    fleet.command(ALL, rows(1));
    expect([fleet.waits(0), fleet.waits(1)]).toEqual(['paused', 'paused']);
  });

  it('keeps a parked cluster that a person retries', () => {
    const fleet = new GivenFleet().report(1, HELD).report(1, PARKED);
    fleet.command({ verb: 'pause' });
    fleet.command(ALL, rows(1));
    expect(fleet.waits(1)).toBe('paused');
  });

  it('and freeze do not release each other', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'freeze' });
    expect(fleet.command({ verb: 'resume' }).state).toBe('refused');
    expect(fleet.waits(2)).toBe('frozen');
    fleet.report(0, SOAKING);
    expect(fleet.actions).toEqual([]);
    fleet.command({ verb: 'unfreeze' });
    expect(fleet.acted('start')).toEqual([2]);
  });
});

describe('retry', () => {
  it('finds rows by signature', () => {
    const fleet = new GivenFleet().report(0, FAILED).report(1, { ...FAILED, signature: 'other' });
    const retried = fleet.command({
      verb: 'retry',
      only: { kind: 'signature', signature: 'other' },
    });
    expect(retried).toMatchObject({ applied: 1 });
    expect(fleet.row(1).phase).toBe('waiting');
  });

  it('of skipped clusters queues them', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 });
    fleet.command({ verb: 'skip' }, rows(5));
    fleet.command({ verb: 'retry', only: { kind: 'skipped' } });
    expect(fleet.row(5)).toMatchObject({ phase: 'waiting', requeues: 1 });
  });

  it('ends the pause before another start', () => {
    const fleet = new GivenFleet({}, { inFlight: 6, unproven: 6 }).answerStart(0, 'busy');
    fleet.command(ALL, rows(0));
    expect(fleet.acted('start')).toEqual([0]);
  });

  it('of a stopped cluster goes on', () => {
    const fleet = new GivenFleet().report(0, STOPPED);
    fleet.command(ALL, rows(0));
    expect(fleet.row(0).phase).toBe('waiting');
  });

  it('of a rollback that failed rolls back again', () => {
    const fleet = new GivenFleet({}, { inFlight: 6, unproven: 6 }).prove(0);
    fleet.command({ verb: 'rollBack' }, rows(0));
    fleet.report(0, FAILED);
    fleet.command(ALL, rows(0));
    expect(fleet.actions).toEqual([{ kind: 'start', row: 0, grant: 3, target: 'kcm' }]);
  });

  it('does not apply to what moves, soaks, is proven or stops', () => {
    const fleet = new GivenFleet({}, { inFlight: 4 }).report(0, SOAKING).prove(1);
    fleet.report(2, HELD).report(2, PARKED);
    fleet.command({ verb: 'stop' }, rows(2));
    expect(fleet.command(ALL, rows(0, 1, 2, 3)).state).toBe('refused');
    expect(fleet.waits(2)).toBe('stopping');
  });
});

describe('stop', () => {
  it('of the fleet skips what waits, withdraws the rest and is the end', () => {
    const fleet = new GivenFleet().prove(0);
    fleet.command({ verb: 'stop' });
    expect(fleet.acted('withdraw')).toEqual([1, 2]);
    expect(fleet.row(3)).toMatchObject({ phase: 'skipped', cause: 'stop' });
    expect(fleet.command({ verb: 'rollBack' }).state).toBe('refused');
    fleet.report(1, STOPPED).report(2, ENDED);
    expect(isFleetOver(fleet.state)).toBe(true);
  });

  it('of a fleet that has ended is its end, too', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) }).prove(0);
    expect(fleet.command({ verb: 'stop' }).state).toBe('applied');
    expect(fleet.state.stopped).toBe(true);
  });

  it('of one cluster leaves the others', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'stop' }, rows(0));
    expect(fleet.command({ verb: 'stop' }, rows(0)).state).toBe('refused');
    expect(fleet.report(0, STOPPED).acted('start')).toEqual([2]);
  });

  it('takes queued rollbacks back', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 }).prove(0, 1).report(2, SOAKING);
    fleet.command({ verb: 'rollBack' }, rows(0, 1, 2));
    fleet.command({ verb: 'stop' }, rows(0, 1, 2));
    expect(fleet.state.rows.some(({ rollbackQueued }) => rollbackQueued)).toBe(false);
  });

  it('of a changed cluster that waits again ends it as stopped', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 }).report(0, FAILED);
    fleet.command(ALL, rows(0));
    fleet.command({ verb: 'stop' }, rows(0));
    expect(fleet.row(0).phase).toBe('stopped');
  });

  it('a proven end of a turning cluster that stops is taken as it is', () => {
    const fleet = new GivenFleet().report(0, SOAKING);
    fleet.command({ verb: 'rollBack' }, rows(0));
    fleet.command({ verb: 'stop' }, rows(0));
    expect(fleet.report(0, ENDED).row(0).phase).toBe('proven');
  });
});

describe('the next tick', () => {
  it.each([
    ['a stall', () => new GivenFleet().report(0, STALLED), 10 * MINUTE + 1000],
    ['a start that is tried again', () => new GivenFleet().answerStart(0, 'busy'), 301_000],
    ['the start time', () => new GivenFleet({}, { startAtMs: HOUR }), HOUR],
    ['the deadline', () => new GivenFleet({}, { deadlineMs: HOUR }), HOUR],
    ['nothing', () => new GivenFleet(), null],
    [
      'the earliest of two',
      () => new GivenFleet({}, { deadlineMs: HOUR }).report(0, STALLED),
      10 * MINUTE + 1000,
    ],
    [
      'the end of a wave',
      () => new GivenFleet({ waves: [{ ...WAVE, done: { provenPercent: 90, withinMs: HOUR } }] }),
      HOUR + 1000,
    ],
    [
      'an opening',
      () =>
        new GivenFleet({ waves: [{ ...WAVE, scheduled: true }] }).openings(0, {
          ...{ opensAtMs: HOUR, closesAtMs: 2 * HOUR, closedBy: 'window' },
        }),
      HOUR,
    ],
  ] as const)('is that of %s', (_, given, atMs) => {
    expect(nextTickMs(given().state)).toBe(atMs);
  });

  it('at the same time does nothing again', () => {
    const { state } = new GivenFleet().report(0, STALLED).tick(10 * MINUTE);
    const again = advanceFleet(state, { kind: 'tick', atMs: state.nowMs });
    expect(again).toEqual({ state, actions: [] });
  });

  it('of a queued rollback is when it is tried again', () => {
    const fleet = new GivenFleet({}, { inFlight: 6, unproven: 6 }).prove(0);
    fleet.command({ verb: 'rollBack' }, rows(0));
    fleet.answerStart(0, 'unreachable');
    expect(nextTickMs(fleet.state)).toBe(301_000);
    expect(fleet.waits(0)).toBe('retry');
  });
});
