import { describe, expect, it } from '@jest/globals';
import {
  dueClaims,
  hearing,
  settleClaims,
  withClaim,
  withEarly,
  type ClaimedEnd,
} from '../../../domain/fleet/claimed-ends.js';
import type { MemberReport, ReportKind } from '../../../domain/fleet/fleet-events.js';
import { ENDED, FAILED, GivenFleet, rowPlans, SOAKING } from './given-fleet.js';

const NOW = 10_000;

/** Two of three are in flight. */
const fleet = (): GivenFleet => new GivenFleet({ rows: rowPlans({}, {}, {}) });

const reported = (what: ReportKind, changes: Partial<MemberReport> = {}): MemberReport => ({
  ...{ fleetRun: 'run-1', row: 0, grant: 1, sequence: 1, what },
  ...changes,
});

const claimed = (row = 0, what: ReportKind = ENDED): readonly ClaimedEnd[] =>
  withClaim([], reported(what, { row }), NOW);

const AT = { row: 0, grant: 1 };

describe('a report', () => {
  it.each<[string, Partial<MemberReport>]>([
    ['a row that has not started, though its first grant can be guessed', { row: 2 }],
    ['a row that does not exist', { row: 9 }],
    ['another grant', { grant: 2 }],
    ['another fleet', { fleetRun: 'run-0' }],
    ['something told before', { sequence: 0 }],
  ])('of %s is void', (_of, changes) => {
    expect(hearing(fleet().state, reported(SOAKING, changes), [])).toBe('void');
  });

  it('of a run whose start has not been answered waits, and of no row more than a run sends', () => {
    const report = reported(ENDED);
    expect(hearing(fleet().state, report, [0])).toBe('early');
    const flood = Array.from({ length: 20 }, (_, sequence) => reported(SOAKING, { sequence }));
    const early = [...flood, reported(SOAKING, { row: 1 })].reduce(withEarly, []);
    expect(early.map(({ row }) => row)).toEqual([...Array<number>(8).fill(0), 1]);
  });

  it('of an end is a claim, and of anything else counts', () => {
    expect(hearing(fleet().state, reported(ENDED), [])).toBe('claim');
    expect(hearing(fleet().state, reported(SOAKING), [])).toBe('counts');
    expect(withClaim([], reported(SOAKING), NOW)).toEqual([]);
  });
});

describe('an end that is claimed', () => {
  it('is confirmed by the run itself, as long as its row and grant are in flight', () => {
    const state = fleet();
    const claims = [...claimed(0), ...claimed(1), ...claimed(2)];
    expect(dueClaims(state.state, claims, NOW)).toEqual([0, 1]);
    expect(dueClaims(state.state, claims, NOW - 1)).toEqual([]);
    // Its slot went to the third one.
    expect(dueClaims(state.prove(0).state, claims, NOW)).toEqual([1, 2]);
  });

  it('counts as reported once its run is found to have ended so', () => {
    const report = reported({ ...FAILED, changed: false, asked: true });
    const claims = withClaim([], report, NOW);
    const found = [{ ...AT, found: { ...FAILED, signature: '' } }];
    expect(settleClaims(claims, { at: [AT], found }, NOW)).toEqual({
      claims: [],
      // What the run did is not for the report to deny.
      events: [{ kind: 'report', report: { ...report, what: { ...FAILED, asked: true } } }],
    });
  });

  it.each<[string, ReportKind | { readonly kind: 'terminated' }]>([
    ['failed', FAILED],
    ['was terminated', { kind: 'terminated' }],
  ])('counts as found where its run %s', (_how, found) => {
    const swept = { ...AT, found };
    expect(settleClaims(claimed(), { at: [AT], found: [swept] }, NOW)).toEqual({
      ...{ claims: [], events: [{ kind: 'swept', ...swept }] },
    });
  });

  it('does not count while its run is open, and is given up after a minute', () => {
    let claims = claimed();
    let nowMs = NOW;
    let times = 0;
    while (claims.length > 0) {
      nowMs = claims[0]?.dueMs ?? nowMs;
      const settled = settleClaims(claims, { at: [AT], found: [] }, nowMs);
      expect(settled.events).toEqual([]);
      claims = settled.claims;
      times += 1;
    }
    expect([times, nowMs - NOW]).toEqual([8, 63_500]);
  });

  it('that is repeated has its run described no more often, and the last one is what counts', () => {
    const [first] = settleClaims(claimed(), { at: [AT], found: [] }, NOW).claims;
    const again = withClaim(first === undefined ? [] : [first], reported(FAILED), NOW + 1);
    expect(again).toEqual([{ report: reported(FAILED), tries: 1, dueMs: NOW + 500 }]);
  });

  it('of another row or grant is left as it is', () => {
    const claims = [...claimed(0), ...claimed(1)];
    const at = [{ row: 0, grant: 2 }];
    expect(settleClaims(claims, { at, found: [] }, NOW)).toEqual({ claims, events: [] });
  });

  it('is not needed: what is found of a silent run counts', () => {
    const found = [{ ...AT, found: ENDED }];
    expect(settleClaims([], { at: [AT], found }, NOW).events).toEqual([
      { kind: 'swept', ...AT, found: ENDED },
    ]);
  });
});
