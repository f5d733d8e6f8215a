import { describe, expect, it } from '@jest/globals';
import { isFleetOver } from '../../../domain/fleet/waves.js';
import {
  BACK_AGAIN,
  ENDED,
  FAILED,
  GivenFleet,
  HELD,
  MINUTE,
  PARKED,
  READY,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  WAVE,
} from './given-fleet.js';

const ALL = { verb: 'retry', only: { kind: 'all' } } as const;
const REGIONS = rowPlans(
  { groups: ['region=r1'] },
  { groups: ['region=r1'] },
  { groups: ['region=r2'], wave: 1 },
  { groups: ['region=r2'], wave: 1 },
);

describe('rollback', () => {
  it('of one cluster never waits, and admission does', () => {
    const fleet = new GivenFleet().prove(0);
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.actions).toEqual([{ kind: 'start', row: 0, grant: 2, target: 'kcm' }]);
    expect(fleet.phases().filter((phase) => phase === 'active').length).toBe(3);
    expect(fleet.report(1, SOAKING).acted('start')).toEqual([]);
    fleet.report(0, FAILED);
    expect(fleet.row(0)).toMatchObject({ phase: 'failed', burntMs: null });
  });

  it('of a fleet goes newest first within the limit, and starts nothing', () => {
    const fleet = new GivenFleet({}, { unproven: 6 }).prove(0, 1);
    fleet.command({ verb: 'rollBack' });
    expect(fleet.actions).toEqual([
      { kind: 'turn', row: 2, grant: 1, target: 'kcm' },
      { kind: 'turn', row: 3, grant: 1, target: 'kcm' },
    ]);
    expect(fleet.waits(0)).toBe('inFlight');
    expect(fleet.row(5)).toMatchObject({ phase: 'skipped', cause: 'rollback' });
    expect(isFleetOver(fleet.state)).toBe(false);
    expect(fleet.report(2, BACK_AGAIN).acted('start')).toEqual([1]);
    expect(fleet.report(3, BACK_AGAIN).acted('start')).toEqual([0]);
    fleet.report(0, BACK_AGAIN).report(1, BACK_AGAIN);
    expect(isFleetOver(fleet.state)).toBe(true);
  });

  it('says how many turn now, later and not at all, and of one what becomes of it', () => {
    const fleet = new GivenFleet({}, { unproven: 6 }).prove(0, 1);
    expect(fleet.command({ verb: 'rollBack' }).detail).toBe(
      'rolled back newest first: 2 turn now, 2 as there are slots, 2 that have not started are left out',
    );
    const one = new GivenFleet();
    expect(one.command({ verb: 'rollBack' }, rows(0)).detail).toBe('turning');
    expect(one.command({ verb: 'rollBack' }, rows(5)).detail).toBe('left out: it has not started');
    expect(one.command({ verb: 'rollBack' }, rows(3, 4)).detail).toBe(
      'rolled back newest first: 2 that have not started are left out',
    );
  });

  it('of what is paused says that it is held, by whom and until when', () => {
    const fleet = new GivenFleet({}, { unproven: 6 }).prove(0, 1);
    fleet.command({ verb: 'pause' });
    expect(fleet.command({ verb: 'rollBack' })).toMatchObject({
      state: 'applied',
      detail: expect.stringMatching(
        /left out; held by the pause of bo \(CHG-1\) until `resume` of the fleet$/,
      ),
    });
    expect(fleet.waits(0)).toBe('paused');
    const parts = [
      ['freeze', { kind: 'fleet' }, 'freeze of bo (CHG-1) until `unfreeze` of the fleet'],
      ['pause', { kind: 'wave', wave: 0 }, 'pause of bo (CHG-1) until `resume` of wave main'],
      ['pause', rows(0), 'pause of bo (CHG-1) until `resume` of these clusters'],
    ] as const;
    for (const [verb, scope, held] of parts) {
      const braked = new GivenFleet().prove(0);
      braked.command({ verb }, scope);
      expect(braked.command({ verb: 'rollBack' }, rows(0)).detail).toBe(
        `turning; held by the ${held}`,
      );
      // What is left out is held by nothing.
      expect(braked.command({ verb: 'rollBack' }, rows(5)).detail).not.toContain('held');
    }
  });

  it('of a canary in its soak turns it', () => {
    const fleet = new GivenFleet({ rows: rowPlans({ canary: true }, {}) }).report(0, SOAKING);
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.acted('turn')).toEqual([0]);
    fleet.report(0, BACK_AGAIN);
    expect(fleet.row(0)).toMatchObject({ phase: 'back', burntMs: null });
    expect(fleet.waits(1)).toBe('canary');
  });

  it('that crosses the end of the run is followed by a run that goes back', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'rollBack' }, rows(0));
    fleet.report(0, ENDED);
    expect(fleet.actions).toEqual([{ kind: 'start', row: 0, grant: 2, target: 'kcm' }]);
  });

  it.each([
    ['parking', () => new GivenFleet().report(0, HELD)],
    ['parked', () => new GivenFleet().report(0, HELD).report(0, PARKED)],
  ])('of a %s cluster needs a new grant', (_, given) => {
    const fleet = given();
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.actions[0]).toEqual({ kind: 'turn', row: 0, grant: 2, target: 'kcm' });
  });

  it('of several turns parked ones when there is a slot, not when they are ready', () => {
    const fleet = new GivenFleet()
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED);
    fleet.command({ verb: 'rollBack' }, rows(0, 1));
    fleet.report(0, READY);
    expect(fleet.acted('grant')).toEqual([]);
    fleet.report(1, BACK_AGAIN);
    expect(fleet.acted('turn')).toEqual([0]);
  });

  it('obeys caps', () => {
    const fleet = new GivenFleet({ rows: REGIONS, waves: [WAVE, WAVE] }, { caps: { region: 1 } });
    fleet.prove(0, 1);
    fleet.command({ verb: 'rollBack' }, rows(0, 1));
    expect(fleet.waits(0)).toBe('cap');
  });

  it('does not apply to what is back, skipped, going back, or cannot', () => {
    const fleet = new GivenFleet({}, { inFlight: 1, unproven: 6 }).prove(0);
    fleet.report(1, { ...STALLED, reversibility: 'no' });
    fleet.command({ verb: 'skip' }, rows(2));
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.command({ verb: 'rollBack' }, rows(0, 1, 2)).state).toBe('refused');
  });

  it('of a changed cluster that waits again is no skip', () => {
    const fleet = new GivenFleet().report(0, FAILED);
    fleet.command(ALL, rows(0));
    expect(fleet.command({ verb: 'skip' }, rows(0)).state).toBe('refused');
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.acted('start')).toEqual([0]);
    expect(fleet.row(0).target).toBe('kcm');
  });
});

describe('rollforward', () => {
  const forward = { verb: 'rollForward' } as const;

  it('turns what is turning', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'rollBack' }, rows(0));
    fleet.command(forward);
    expect(fleet.actions[0]).toEqual({ kind: 'turn', row: 0, grant: 1, target: 'ccm' });
  });

  it('takes queued rollbacks back', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 }).prove(0, 1);
    fleet.command({ verb: 'rollBack' }, rows(0, 1));
    fleet.command(forward, rows(0));
    expect(fleet.row(0)).toMatchObject({ phase: 'proven', rollbackQueued: false });
  });

  it('queues what is back, and what a rollback skipped', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}, {}) }, { inFlight: 2 });
    fleet.command({ verb: 'rollBack' });
    fleet.report(0, BACK_AGAIN).report(1, BACK_AGAIN);
    fleet.command(forward);
    expect(fleet.acted('start')).toEqual([0, 1]);
    expect(fleet.row(2).phase).toBe('waiting');
  });

  it('asks for the slot of a parked rollback', () => {
    const fleet = new GivenFleet({}, { inFlight: 6, unproven: 6 });
    fleet.command({ verb: 'rollBack' }, rows(0));
    fleet.report(0, HELD).report(0, PARKED);
    fleet.command(forward, rows(0));
    expect(fleet.actions).toContainEqual({ kind: 'grant', row: 0, grant: 2, target: 'ccm' });
  });

  it('starts a failed rollback forward again', () => {
    const fleet = new GivenFleet({}, { inFlight: 6, unproven: 6 });
    fleet.command({ verb: 'rollBack' }, rows(0));
    fleet.report(0, FAILED);
    fleet.command(forward, rows(0));
    expect(fleet.actions).toEqual([{ kind: 'start', row: 0, grant: 2, target: 'ccm' }]);
  });

  it('does not apply to what goes forward, stops or was skipped', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'skip' }, rows(5));
    fleet.command({ verb: 'stop' }, rows(0));
    expect(fleet.command(forward, rows(0, 1, 5)).state).toBe('refused');
  });
});
