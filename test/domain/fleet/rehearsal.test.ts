import { describe, expect, it } from '@jest/globals';
import { headroomOf } from '../../../domain/fleet/headroom.js';
import { groupRows } from '../../../domain/fleet/row-groups.js';
import {
  BACK_AGAIN,
  ENDED,
  FAILED,
  GivenFleet,
  HELD,
  rowPlans,
  rows,
  SOAKING,
  STOPPED,
  TURNED,
  WAVE,
} from './given-fleet.js';

/** A canary whose rollback is rehearsed, and a cluster that waits for it. */
function rehearsing(policy = {}): GivenFleet {
  return new GivenFleet(
    { waves: [{ ...WAVE, rehearseRollback: true }], rows: rowPlans({ canary: true }, {}) },
    policy,
  );
}

describe('a canary whose rollback is rehearsed', () => {
  it('goes forward, back and forward, and only then the others start', () => {
    const fleet = rehearsing().report(0, SOAKING).report(0, ENDED);
    expect(fleet.actions).toEqual([{ kind: 'start', row: 0, grant: 2, target: 'kcm' }]);
    expect(fleet.waits(1)).toBe('canary');
    fleet.report(0, BACK_AGAIN);
    expect(fleet.actions).toEqual([{ kind: 'start', row: 0, grant: 3, target: 'ccm' }]);
    expect([fleet.waits(1), fleet.row(0).burntMs]).toEqual(['canary', null]);
    fleet.report(0, SOAKING).report(0, ENDED);
    expect(fleet.row(0)).toMatchObject({ phase: 'proven', rehearsal: 'forward' });
    expect(fleet.acted('start')).toEqual([1]);
  });

  it('is not rehearsed in a cluster that is no canary', () => {
    const fleet = rehearsing().report(0, ENDED).report(0, BACK_AGAIN).report(0, ENDED);
    expect(fleet.report(1, ENDED).row(1)).toMatchObject({ phase: 'proven', rehearsal: 'none' });
  });

  it('a rehearsed rollback that fails burns, waits for a person, and keeps the others waiting', () => {
    const fleet = rehearsing({ onFailure: 'rollBack' }).report(0, ENDED).report(0, HELD);
    expect(fleet.row(0).burntMs).not.toBeNull();
    expect([fleet.acted('park'), fleet.waits(1)]).toEqual([[0], 'canary']);
    const failed = rehearsing().report(0, ENDED).report(0, FAILED);
    expect(failed.row(0)).toMatchObject({ phase: 'failed', burntBy: FAILED.signature });
    expect(failed.waits(1)).toBe('canary');
  });

  it('a second way forward that fails is a failure like any other', () => {
    const fleet = rehearsing({ onFailure: 'rollBack' }).report(0, ENDED).report(0, BACK_AGAIN);
    expect(fleet.report(0, HELD).acted('turn')).toEqual([0]);
    expect(fleet.report(0, BACK_AGAIN).row(0)).toMatchObject({
      phase: 'back',
      burntMs: fleet.atMs,
    });
  });

  it('a brake keeps it proven until it is released; its wave does not end meanwhile', () => {
    const fleet = rehearsing();
    fleet.command({ verb: 'pause' });
    fleet.report(0, ENDED);
    expect(fleet.row(0)).toMatchObject({ phase: 'proven', rollbackQueued: true });
    expect([fleet.waits(0), fleet.state.waves[0]?.over]).toEqual(['paused', false]);
    fleet.command({ verb: 'resume' });
    expect(fleet.acted('start')).toEqual([0]);
  });

  it('a wave that asks for a share of its clusters does not end before the rehearsal', () => {
    const done = { provenPercent: 50, withinMs: 3_600_000 };
    const waves = [{ ...WAVE, rehearseRollback: true, done }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({ canary: true }, {}) });
    fleet.command({ verb: 'skip' }, rows(1));
    fleet.command({ verb: 'pause' });
    fleet.report(0, ENDED);
    expect(fleet.state.waves[0]?.over).toBe(false);
  });

  it('a run that is told to stop does not go back', () => {
    const fleet = rehearsing();
    fleet.command({ verb: 'stop' });
    expect(fleet.report(0, ENDED).row(0)).toMatchObject({ phase: 'proven', rollbackQueued: false });
    const back = rehearsing().report(0, ENDED);
    back.command({ verb: 'stop' });
    expect(back.report(0, BACK_AGAIN).row(0).phase).toBe('back');
    const stopped = rehearsing().report(0, ENDED);
    stopped.command({ verb: 'stop' });
    expect(stopped.report(0, STOPPED).row(0).phase).toBe('stopped');
  });
});

it('people see which clusters rehearse, from the first rollback until they are proven again', () => {
  const fleet = rehearsing();
  const seen = (): readonly boolean[] =>
    groupRows(fleet.state, headroomOf(fleet.state)).map(({ rehearses }) => rehearses);
  expect(seen()).toEqual([false, false]);
  fleet.command({ verb: 'pause' });
  fleet.report(0, ENDED);
  expect(seen()).toEqual([true, false]);
  fleet.command({ verb: 'resume' });
  expect(seen()).toEqual([true, false]);
  fleet.report(0, BACK_AGAIN);
  expect(seen()).toEqual([true, false]);
  fleet.report(0, ENDED);
  expect(seen()).toEqual([false, false]);
});

describe('a person during a rehearsal', () => {
  it('a rollback that a person asks for stays back, whether it has begun or waits', () => {
    const begun = rehearsing().report(0, ENDED);
    expect(begun.command({ verb: 'rollBack' }, rows(0)).state).toBe('applied');
    expect(begun.actions).toEqual([]);
    expect(begun.report(0, BACK_AGAIN).row(0)).toMatchObject({ phase: 'back', burntMs: null });

    const waiting = rehearsing();
    waiting.command({ verb: 'pause' });
    waiting.report(0, ENDED).command({ verb: 'rollBack' }, rows(0));
    expect(waiting.report(0, BACK_AGAIN).row(0).phase).toBe('back');
  });

  it('a rollforward of one that waits to go back leaves the rehearsal out', () => {
    const fleet = rehearsing();
    fleet.command({ verb: 'pause' });
    fleet.report(0, ENDED).command({ verb: 'rollForward' }, rows(0));
    fleet.command({ verb: 'resume' });
    expect(fleet.row(0)).toMatchObject({ phase: 'proven', rehearsal: 'forward' });
    expect(fleet.acted('start')).toEqual([1]);
  });

  it('a run that a person turns forward rolls back like any other from then on', () => {
    for (const turn of [
      (fleet: GivenFleet) => fleet.report(0, { ...TURNED, target: 'ccm' }),
      (fleet: GivenFleet) => {
        fleet.command({ verb: 'rollForward' }, rows(0));
        return fleet;
      },
    ]) {
      const fleet = turn(rehearsing({ onFailure: 'rollBack' }).report(0, ENDED));
      fleet.report(0, HELD).report(0, BACK_AGAIN);
      expect(fleet.row(0)).toMatchObject({ phase: 'back', rehearsal: 'forward' });
      expect(fleet.row(0).burntMs).not.toBeNull();
    }
  });

  it('a parked one that a person turns forward goes forward when it has a slot', () => {
    const fleet = rehearsing().report(0, ENDED).report(0, HELD).report(0, { kind: 'parked' });
    fleet.command({ verb: 'rollForward' }, rows(0));
    expect(fleet.actions).toEqual([{ kind: 'grant', row: 0, grant: 3, target: 'ccm' }]);
    expect(fleet.report(0, ENDED).row(0)).toMatchObject({ phase: 'proven', rehearsal: 'forward' });
  });
});
