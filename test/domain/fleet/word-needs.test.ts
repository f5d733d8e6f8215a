import { describe, expect, it } from '@jest/globals';
import { gaugesOf } from '../../../domain/fleet/fleet-gauges.js';
import { viewFleet } from '../../../domain/fleet/fleet-view.js';
import type { NeedYou } from '../../../domain/fleet/need-you.js';
import {
  GivenFleet,
  MINUTE,
  PARKED,
  READY,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  WAVE,
} from './given-fleet.js';

const APPROVAL = { ...STALLED, changed: false, signature: 'CCM4015 handover' } as const;
const PAUSED = { ...STALLED, signature: 'paused' } as const;

const canary = (): GivenFleet => new GivenFleet({ rows: rowPlans({ canary: true }, {}, {}) });

function needs(fleet: GivenFleet): readonly NeedYou[] {
  return viewFleet(fleet.state, 'prod').needs;
}

const standing = (fleet: GivenFleet): string => viewFleet(fleet.state, 'prod').standing;

describe('a run that waits for the word of a person', () => {
  it('to approve its handover needs you from its first moment, with or without its slot', () => {
    const fleet = canary().tick(MINUTE).report(0, APPROVAL);
    const need = {
      ...{ kind: 'runApproval', subject: 'c0', names: ['c0'], sinceMs: 1000 + MINUTE },
      ...{ why: 'waits for the approval of its handover', who: 'anyone but ana' },
      command: ['approve', 'c0'],
      others: [
        ['reject', 'c0'],
        ['describe', 'prod/c0'],
      ],
    };
    expect(needs(fleet)).toEqual([need]);
    expect(standing(fleet)).toBe('held');
    expect(gaugesOf(fleet.state, 'prod', fleet.atMs + MINUTE).needYouOldestMs).toBe(MINUTE);
    fleet.tick(10 * MINUTE);
    expect([fleet.row(0).phase, needs(fleet)[0]?.command]).toEqual(['parking', ['approve', 'c0']]);
    fleet.report(0, PARKED);
    expect([fleet.row(0).phase, fleet.waits(0)]).toEqual(['parked', 'person']);
    expect(needs(fleet)).toEqual([{ ...need, sinceMs: fleet.atMs }]);
    expect(gaugesOf(fleet.state, 'prod', fleet.atMs).blocked).toMatchObject({
      ...{ person: true, healing: false },
    });
  });

  it('to be resumed needs you, and holds a fleet that has nothing else under way', () => {
    const fleet = canary().report(0, PAUSED);
    expect(needs(fleet)).toMatchObject([
      { kind: 'runPaused', why: 'its run is paused by a person', command: ['resume', 'c0'] },
    ]);
    expect(standing(fleet)).toBe('held');
    expect(needs(fleet.report(0, READY))).toEqual([]);
    expect(standing(fleet)).toBe('progressing');
  });

  it('in its soak needs you, since a time that is not known', () => {
    const fleet = canary().report(0, SOAKING).report(0, PAUSED);
    expect(needs(fleet)).toMatchObject([{ kind: 'runPaused', sinceMs: null, subject: 'c0' }]);
    expect(standing(fleet)).toBe('held');
  });

  it('beside others of its kind is told with them, and each needs a word of its own', () => {
    const fleet = new GivenFleet().report(0, APPROVAL).report(1, APPROVAL);
    expect(needs(fleet)).toMatchObject([
      {
        ...{ subject: '2 clusters', names: ['c0', 'c1'], command: ['approve', 'c0'] },
        why: 'wait for the approval of their handovers, each by itself',
      },
    ]);
    const paused = new GivenFleet().report(0, PAUSED).report(1, PAUSED);
    expect(needs(paused)).toMatchObject([{ why: 'their runs are paused by people' }]);
  });

  it('beside one that moves does not hold the fleet, which only says that it is needed', () => {
    const fleet = new GivenFleet().report(0, APPROVAL);
    expect(standing(fleet)).toBe('progressing');
    expect(needs(fleet)).toHaveLength(1);
  });

  it('and has been told it, or is told to stop, needs no one', () => {
    const ready = new GivenFleet({}, { inFlight: 1 }).report(0, APPROVAL).tick(10 * MINUTE);
    expect([ready.report(0, READY).row(0).phase, needs(ready)]).toEqual(['parking', []]);
    expect(needs(ready.report(0, PARKED))).toEqual([]);
    const stopping = canary().report(0, APPROVAL);
    stopping.command({ verb: 'stop' }, rows(0));
    expect(needs(stopping)).toEqual([]);
  });

  it('longer than its soak may last is judged as such a soak', () => {
    const waves = [{ ...WAVE, soakLimitMs: MINUTE }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({}) });
    fleet.report(0, SOAKING).report(0, PAUSED).tick(MINUTE);
    expect(needs(fleet)).toMatchObject([
      { kind: 'held', why: 'soaks longer than its wave allows' },
    ]);
  });

  it('changes nothing of what its fleet orders', () => {
    const actions = [APPROVAL, { ...APPROVAL, signature: 'CCM2004 handover' }].map((hold) => {
      const fleet = canary()
        .report(0, hold)
        .tick(10 * MINUTE)
        .report(0, PARKED);
      return fleet.report(0, READY).actions;
    });
    expect(actions[0]).toEqual(actions[1]);
    expect(actions[0]).toEqual([{ kind: 'grant', row: 0, grant: 2, target: 'ccm' }]);
  });
});
