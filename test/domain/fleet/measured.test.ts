import { describe, expect, it } from '@jest/globals';
import { measuredIn } from '../../../domain/fleet/measured.js';
import {
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
  TURNED,
  WAVE,
} from './given-fleet.js';

const SOAK_MS = 10 * MINUTE;
const PLANNED = { expectedMs: MINUTE };
const given = (count = 1): GivenFleet =>
  new GivenFleet(
    { rows: rowPlans(...Array<object>(count).fill(PLANNED)) },
    { inFlight: 9, unproven: 9 },
  );
const measured = ({ state }: GivenFleet) => measuredIn(state, [SOAK_MS]);
const NOTHING = { changes: [], soaks: [] };

describe('what a fleet measures of its clusters', () => {
  it('is the change of those that soak, and the soak of those that are proven', () => {
    const fleet = given(2)
      .tick(2 * MINUTE)
      .report(0, SOAKING);
    expect(measured(fleet)).toEqual({ changes: [2], soaks: [] });
    fleet.tick(15 * MINUTE).report(0, ENDED);
    expect(measured(fleet)).toEqual({ changes: [2], soaks: [1.5] });
  });

  it('is the whole change of one that stalled and kept its slot', () => {
    const fleet = given().tick(MINUTE).report(0, STALLED).tick(MINUTE).report(0, READY);
    expect(measured(fleet.tick(MINUTE).report(0, SOAKING)).changes).toEqual([3]);
  });

  it.each<[string, (fleet: GivenFleet) => GivenFleet]>([
    ['lost its slot', (fleet) => fleet.report(0, HELD).report(0, PARKED).tick(0)],
    ['turned by itself', (fleet) => fleet.report(0, { ...TURNED, target: 'kcm' })],
  ])('is nothing of one that %s and went forward again', (_, interrupted) => {
    const fleet = interrupted(given()).tick(MINUTE);
    fleet.command({ verb: 'rollForward' });
    fleet.command({ verb: 'retry', only: { kind: 'all' } }, rows(0));
    expect(fleet.report(0, SOAKING).row(0).phase).toBe('soaking');
    expect(measured(fleet)).toEqual(NOTHING);
  });

  it('is nothing of one that failed, or goes back', () => {
    expect(measured(given().tick(MINUTE).report(0, FAILED))).toEqual(NOTHING);
    const turned = given().tick(MINUTE).report(0, SOAKING);
    turned.command({ verb: 'rollBack' }, rows(0));
    expect(measured(turned)).toEqual(NOTHING);
  });

  it('is nothing of a second migration, whose change the first one had made', () => {
    const waves = [{ ...WAVE, rehearseRollback: true }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({ canary: true, ...PLANNED }) });
    fleet.tick(MINUTE).prove(0);
    fleet
      .report(0, { ...ENDED, outcome: 'back' })
      .tick(MINUTE)
      .report(0, SOAKING);
    expect(fleet.row(0).phase).toBe('soaking');
    expect(measured(fleet)).toEqual(NOTHING);
  });

  it('is no share of what the plan expects no time for', () => {
    const fleet = new GivenFleet({ rows: rowPlans({ expectedMs: 0 }) }).tick(MINUTE).prove(0);
    expect(measuredIn(fleet.state, [])).toEqual(NOTHING);
  });
});
