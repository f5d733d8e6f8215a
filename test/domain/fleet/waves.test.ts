import { describe, expect, it } from '@jest/globals';
import type { FleetScope } from '../../../domain/fleet/fleet-command.js';
import type { WavePlan } from '../../../domain/fleet/fleet-plan.js';
import { isFleetOver, waveStanding } from '../../../domain/fleet/waves.js';
import { waitReason } from '../../../domain/fleet/wait-reasons.js';
import {
  ENDED,
  FAILED,
  GivenFleet,
  HELD,
  HOUR,
  MINUTE,
  PARKED,
  READY,
  REFUSED,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  TURNED,
  WAVE,
} from './given-fleet.js';

const LAST: FleetScope = { kind: 'wave', wave: 1 };
const FIRST: FleetScope = { kind: 'wave', wave: 0 };

/** Four clusters in the first wave, two in the last. */
function twoWaves(
  first: Partial<WavePlan> = {},
  policy: Parameters<typeof fleetWith>[1] = {},
  last: Partial<WavePlan> = {},
): GivenFleet {
  return fleetWith(
    {
      waves: [
        { ...WAVE, ...first },
        { ...WAVE, name: 'last', ...last },
      ],
      rows: rowPlans({}, {}, {}, {}, { wave: 1 }, { wave: 1 }),
    },
    policy,
  );
}

function fleetWith(...given: ConstructorParameters<typeof GivenFleet>): GivenFleet {
  const [changes, policy] = given;
  return new GivenFleet(changes, { inFlight: 6, unproven: 6, ...policy });
}

function standing(fleet: GivenFleet, wave: number): string {
  return fleet.state.waves
    .filter(({ index }) => index === wave)
    .map((each) => waveStanding(fleet.state, each).kind)
    .join();
}

describe('the order of waves', () => {
  it('a wave begins when all clusters of the one before have ended', () => {
    const fleet = twoWaves().prove(0, 1, 2);
    expect(waitReason(fleet.state, fleet.row(4))).toEqual({
      kind: 'wave',
      standing: { kind: 'order', wave: 0 },
    });
    expect(fleet.report(3, FAILED).acted('start')).toEqual([4, 5]);
    expect(standing(fleet, 0)).toBe('over');
  });

  it('a person can begin a wave before its turn', () => {
    const fleet = twoWaves();
    expect(fleet.command({ verb: 'open' }, LAST).state).toBe('applied');
    expect(fleet.acted('start')).toEqual([4, 5]);
  });

  it('only a wave that exists can be opened', () => {
    const fleet = twoWaves();
    expect(fleet.command({ verb: 'open' }).state).toBe('refused');
    expect(fleet.command({ verb: 'open' }, { kind: 'wave', wave: 9 }).state).toBe('refused');
  });

  it('a cluster of an ended wave that is tried again holds no other wave', () => {
    const fleet = twoWaves().prove(0, 1, 2).report(3, FAILED);
    fleet.command({ verb: 'retry', only: { kind: 'failed' } });
    expect(fleet.acted('start')).toEqual([3]);
    expect(fleet.row(4).phase).toBe('active');
  });
});

describe('canaries', () => {
  const canaries = (): GivenFleet =>
    fleetWith({ rows: rowPlans({ canary: true }, { canary: true }, {}, {}) });

  it('go first and alone, through their soak', () => {
    const fleet = canaries();
    expect(fleet.phases()).toEqual(['active', 'active', 'waiting', 'waiting']);
    expect(fleet.waits(2)).toBe('canary');
    expect(fleet.report(0, SOAKING).report(1, SOAKING).acted('start')).toEqual([]);
    expect(fleet.report(0, ENDED).acted('start')).toEqual([]);
    expect(fleet.report(1, ENDED).acted('start')).toEqual([2, 3]);
  });

  it('may fail as long as one is proven', () => {
    expect(canaries().report(0, FAILED).prove(1).acted('start')).toEqual([2, 3]);
  });

  it('that are rolled back in their soak hold the wave', () => {
    const fleet = canaries().report(0, SOAKING).report(1, SOAKING);
    fleet.command({ verb: 'rollBack' }, rows(0, 1));
    expect(fleet.acted('turn')).toEqual([1, 0]);
    expect(fleet.waits(2)).toBe('canary');
  });

  it('that preflight refused prove nothing: a person must open the wave, and resume does not', () => {
    const fleet = canaries().report(0, REFUSED).report(1, REFUSED);
    expect(fleet.waits(2)).toBe('canary');
    expect(fleet.command({ verb: 'resume' }).state).toBe('refused');
    expect(fleet.waits(2)).toBe('canary');
    fleet.command({ verb: 'open' }, FIRST);
    expect(fleet.acted('start')).toEqual([2, 3]);
    expect(fleet.command({ verb: 'open' }, FIRST).state).toBe('refused');
  });

  it('opening a wave before its turn does not pass its canaries', () => {
    const plans = rowPlans({}, { wave: 1, canary: true }, { wave: 1 });
    const fleet = fleetWith({ waves: [WAVE, WAVE], rows: plans });
    fleet.command({ verb: 'open' }, LAST);
    expect(fleet.acted('start')).toEqual([1]);
    fleet.command({ verb: 'open' }, LAST);
    expect(fleet.acted('start')).toEqual([2]);
  });
});

describe('a wave that is done with so many proven', () => {
  const done = { done: { provenPercent: 75, withinMs: HOUR } };

  it('leaves a parked cluster behind, which finishes later', () => {
    const fleet = twoWaves(done).report(0, HELD).report(0, PARKED).prove(1, 2, 3);
    expect(fleet.acted('start')).toEqual([4, 5]);
    expect(standing(fleet, 0)).toBe('over');
    fleet.command({ verb: 'retry', only: { kind: 'all' } }, rows(0));
    expect(fleet.acted('grant')).toEqual([0]);
  });

  it('without it, one parked cluster holds the next wave, which says so', () => {
    const fleet = twoWaves()
      .report(0, HELD)
      .report(0, PARKED)
      .prove(1, 2, 3)
      .tick(48 * HOUR);
    expect(fleet.waits(4)).toBe('wave');
  });

  it('waits for what still moves, but not longer than its time', () => {
    const fleet = twoWaves(done).prove(1, 2, 3);
    expect(standing(fleet, 0)).toBe('running');
    fleet.tick(HOUR);
    expect(fleet.acted('start')).toEqual([4, 5]);
    expect(fleet.row(0).phase).toBe('active');
  });

  it('holds by name when too few are proven in its time', () => {
    const fleet = twoWaves(done).report(0, HELD).report(1, HELD).prove(2, 3).tick(HOUR);
    expect(standing(fleet, 0)).toBe('short');
    expect(fleet.waits(4)).toBe('wave');
    fleet.command({ verb: 'open' }, LAST);
    expect(fleet.acted('start')).toEqual([4, 5]);
  });

  it('holds by name when all have ended and too few are proven', () => {
    const fleet = twoWaves(done).report(0, FAILED).report(1, FAILED).prove(2, 3);
    expect(standing(fleet, 0)).toBe('short');
  });

  it('a short wave still starts what is tried again', () => {
    const fleet = twoWaves(done).report(0, FAILED).report(1, FAILED).prove(2, 3);
    fleet.command({ verb: 'retry', only: { kind: 'failed' } });
    expect(fleet.acted('start')).toEqual([0, 1]);
  });

  it('does not count clusters that a person skips', () => {
    const fleet = twoWaves(done, { inFlight: 2, unproven: 2 });
    fleet.command({ verb: 'skip' }, rows(2, 3));
    expect(fleet.prove(0, 1).acted('start')).toEqual([4, 5]);
  });

  it('defers unreachable clusters to a last pass', () => {
    const fleet = twoWaves(done, { unreachable: 'wait' })
      .answerStart(0, 'unreachable')
      .prove(1, 2, 3);
    expect(standing(fleet, 0)).toBe('over');
    fleet.tick(10 * MINUTE);
    expect(fleet.waits(0)).toBe('lastPass');
    expect(fleet.prove(4, 5).acted('start')).toEqual([0]);
    expect(isFleetOver(fleet.prove(0).state)).toBe(true);
  });

  it('a full worker is no such cluster', () => {
    const fleet = twoWaves(done).answerStart(0, 'queued').prove(1, 2, 3);
    expect(standing(fleet, 0)).toBe('running');
  });

  it('a person need not wait for the last pass', () => {
    const fleet = twoWaves(done, { unreachable: 'wait' })
      .answerStart(0, 'unreachable')
      .prove(1, 2, 3);
    fleet.tick(10 * MINUTE);
    fleet.command({ verb: 'skip' }, rows(0));
    fleet.command({ verb: 'retry', only: { kind: 'skipped' } });
    expect(fleet.acted('start')).toEqual([0]);
  });
});

describe('the last pass', () => {
  it('tries skipped clusters once more that were out of reach', () => {
    const fleet = twoWaves({}, { busy: 'skip' });
    fleet.answerStart(0, 'unreachable').answerStart(1, 'busy').report(2, REFUSED).prove(3);
    expect(fleet.row(4).phase).toBe('active');
    expect(fleet.prove(4, 5).acted('start')).toEqual([0, 1]);
    fleet.answerStart(0, 'unreachable').prove(1);
    expect(fleet.phases()).toEqual(['skipped', 'proven', 'skipped', 'proven', 'proven', 'proven']);
    expect(isFleetOver(fleet.state)).toBe(true);
  });

  it('comes also when every cluster has ended and the last wave is short', () => {
    const done = { done: { provenPercent: 100, withinMs: HOUR } };
    const fleet = fleetWith({ waves: [{ ...WAVE, ...done }], rows: rowPlans({}, {}) });
    fleet.answerStart(0, 'unreachable').prove(1);
    expect(fleet.acted('start')).toEqual([0]);
  });

  it('does not follow a stop', () => {
    const fleet = fleetWith({ rows: rowPlans({}) });
    fleet.command({ verb: 'stop' });
    expect(fleet.answerStart(0, 'unreachable').phases()).toEqual(['stopped']);
    expect(fleet.state.lastPassBegun).toBe(false);
  });
});

describe('a soak without end', () => {
  it('is handed to a person, unburnt', () => {
    const fleet = fleetWith({ waves: [{ ...WAVE, soakLimitMs: HOUR }] }, { inFlight: 1 });
    fleet.report(0, SOAKING).tick(HOUR);
    expect(fleet.acted('park')).toEqual([0]);
    expect(fleet.row(0)).toMatchObject({ phase: 'parked', cause: 'soakLimit', burntMs: null });
    expect(fleet.waits(0)).toBe('person');
    fleet.report(0, PARKED).report(0, READY).report(1, SOAKING);
    expect(fleet.acted('grant')).toEqual([]);
    expect(fleet.waits(0)).toBe('person');
    expect(fleet.report(0, ENDED).row(0).phase).toBe('proven');
  });

  it('is for a person whatever stalls and heals in it, until one lets it go on', () => {
    const waves = [{ ...WAVE, soakLimitMs: HOUR }];
    const fleet = fleetWith({ waves, rows: rowPlans({}) })
      .report(0, SOAKING)
      .tick(HOUR);
    fleet.report(0, STALLED).report(0, PARKED);
    expect(fleet.waits(0)).toBe('person');
    expect(fleet.report(0, READY).waits(0)).toBe('person');
    fleet.command({ verb: 'retry', only: { kind: 'all' } }, rows(0));
    expect(fleet.acted('grant')).toEqual([0]);
    fleet
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED);
    expect(fleet.report(0, READY).acted('grant')).toEqual([0]);
  });

  it.each([
    ['the fleet', (fleet: GivenFleet) => void fleet.command({ verb: 'rollBack' }, rows(0))],
    [
      'a person at the run',
      (fleet: GivenFleet) => void fleet.report(0, { ...TURNED, target: 'kcm' }),
    ],
  ])('that %s turned stalls and heals in its rollback without a person', (_, turn) => {
    const waves = [{ ...WAVE, soakLimitMs: HOUR }];
    const fleet = fleetWith({ waves, rows: rowPlans({}) })
      .report(0, SOAKING)
      .tick(HOUR);
    turn(fleet);
    fleet
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED);
    expect(fleet.waits(0)).toBe('healing');
    expect(fleet.report(0, READY).acted('grant')).toEqual([0]);
  });
});

describe('a stall of a whole wave', () => {
  it('says what each row waits for', () => {
    const fleet = fleetWith({ rows: rowPlans({}, {}) })
      .report(0, STALLED)
      .tick(10 * MINUTE);
    expect(fleet.report(0, PARKED).waits(0)).toBe('healing');
  });
});
