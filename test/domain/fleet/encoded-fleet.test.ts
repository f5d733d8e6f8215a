import { describe, expect, it } from '@jest/globals';
import { decodeFleet, encodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import { FAILED, GivenFleet, HELD, HOUR, PARKED, rowPlans, rows, SOAKING } from './given-fleet.js';

/** The largest a row gets: all times far away, a name and labels as long as real ones. */
const LONG = rowPlans(
  ...Array.from({ length: 100 }, (_, index) => ({
    name: `production-eu-central-1-tenant-${index}-cluster`,
    wave: 0,
    groups: [`region=r${index % 8}`, `provider=p${index % 3}`, `version=v${index % 4}`],
    expectedMs: 86_400_000,
  })),
);

describe('an encoded fleet', () => {
  it('is the same when it is decoded, through JSON', () => {
    const fleet = new GivenFleet({}, { inFlight: 4 }).report(0, FAILED).report(1, SOAKING);
    fleet.report(2, HELD).report(2, PARKED).answerStart(3, 'busy');
    fleet.command({ verb: 'rollBack' }, rows(2));
    const encoded: unknown = JSON.parse(JSON.stringify(encodeFleet(fleet.state)));
    expect(decodeFleet(encoded as ReturnType<typeof encodeFleet>)).toEqual(fleet.state);
  });

  it('of a build that did not keep when changes began is read as not knowing it', () => {
    const fleet = new GivenFleet().report(0, SOAKING);
    expect(fleet.row(0).changeFromMs).toBe(1000);
    const { rows: all, ...encoded } = encodeFleet(fleet.state);
    const older = all.map(([name, groups, numbers]) => [name, groups, numbers.slice(0, -1)]);
    const read = decodeFleet({ ...encoded, rows: older as unknown as typeof all });
    expect(read.rows).toEqual(fleet.state.rows.map((row) => ({ ...row, changeFromMs: null })));
  });

  it('has rows of at most 180 bytes', () => {
    const fleet = new GivenFleet({ rows: LONG }, { inFlight: 100, unproven: 100 });
    fleet.tick(2000 * HOUR);
    for (const { index } of fleet.state.rows) fleet.report(index, SOAKING).report(index, FAILED);
    const sizes = encodeFleet(fleet.state).rows.map((row) => JSON.stringify(row).length + 1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(180);
  });

  it('that names what does not exist is refused', () => {
    const encoded = encodeFleet(new GivenFleet({ rows: rowPlans({ groups: ['a=b'] }) }).state);
    expect(() => decodeFleet({ ...encoded, texts: [] })).toThrow('names entry');
  });
});
