import { describe, expect, it } from '@jest/globals';
import { forecast, forecastRest } from '../../../domain/fleet/forecast.js';
import type { FleetEvent } from '../../../domain/fleet/fleet-events.js';
import { beginFleet, type FleetState } from '../../../domain/fleet/fleet-state.js';
import { lowerBound, type JournalRow } from '../../../domain/fleet/lower-bound.js';
import { simulateFleet, type Simulation } from '../../../domain/fleet/simulated-fleet.js';
import {
  GivenFleet,
  HELD,
  HOUR,
  MINUTE,
  PARKED,
  plan,
  POLICY,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  WAVE,
} from './given-fleet.js';
import { PAGE, PAGE_MODEL, pageFleet } from './page-fleets.js';

const SMALL = { ...PAGE, inFlight: 5, unproven: 20, slowStart: 2 };
const MODEL = { ...PAGE_MODEL, soakMs: MINUTE };
const DRAWS = { draws: 5, events: [] };

describe('a forecast', () => {
  const fleet = pageFleet(SMALL, 40);

  it('is the same for the same seed, and another for another', () => {
    const first = forecast(fleet, MODEL, 7, DRAWS);
    expect(forecast(fleet, MODEL, 7, DRAWS)).toEqual(first);
    expect(forecast(fleet, MODEL, 8, DRAWS)).not.toEqual(first);
    expect(first.p50Ms).toBeLessThanOrEqual(first.p90Ms);
    expect(first).toMatchObject({ unfinished: 0, budgetCost: 1 });
  });

  it('says what the budget costs', () => {
    const budget = { clusters: 3, counts: 'inFlight' } as const;
    const { budgetCost } = forecast(
      pageFleet({ ...SMALL, budget }, 40),
      { ...MODEL, failShare: 0 },
      7,
      DRAWS,
    );
    expect(budgetCost).toBeGreaterThan(1.2);
  });

  it('says when the budget stops the fleet', () => {
    const budget = { clusters: 2, counts: 'inFlight' } as const;
    const failing = { ...MODEL, failShare: 0.3, kinds: 100 };
    const stopped = forecast(pageFleet({ ...SMALL, budget }, 40), failing, 7, DRAWS);
    expect(stopped.budgetCost).toBeNull();
    expect(stopped.unfinished).toBeGreaterThan(0);
  });

  it('of each wave ends with its last cluster, whose soak is that of its wave', () => {
    const waves = [WAVE, { ...WAVE, name: 'last' }];
    const rowsOf = rowPlans({}, {}, { wave: 1 });
    const given = beginFleet(plan({ waves, rows: rowsOf }), 5000);
    const exact = { ...MODEL, spread: 0, slowShare: 0, failShare: 0 };
    const soaks = { ...exact, waveSoakMs: [MINUTE, HOUR] };
    const { waves: ends, p50Ms } = forecast(given, soaks, 1, DRAWS);
    const first = 100_000 + MINUTE;
    const last = first + 100_000 + HOUR;
    expect(ends).toEqual([first, last].map((ms) => ({ p50Ms: ms, p90Ms: ms })));
    expect(p50Ms).toBe(last);
    expect(forecast(given, exact, 1, DRAWS).p50Ms).toBe(2 * first);
  });

  it('says how many of its draws are done', () => {
    const told: string[] = [];
    forecast(fleet, MODEL, 7, {
      ...DRAWS,
      draws: 2,
      told: (done, of) => told.push(`${done}/${of}`),
    });
    expect(told).toEqual(['1/2', '2/2']);
  });

  it('of no draw is nothing', () => {
    expect(forecast(fleet, MODEL, 7, { draws: 0, events: [] }).p50Ms).toBe(0);
  });

  it('goes on from a live fleet', () => {
    const live = new GivenFleet({}, { inFlight: 3, unproven: 6 })
      .report(0, SOAKING)
      .report(1, HELD);
    const personMs = 2 * HOUR;
    const judged = forecast(live.state, { ...MODEL, personMs, failShare: 0 }, 1, DRAWS);
    expect(judged.unfinished).toBe(0);
    live.command({ verb: 'rollBack' }, rows(2));
    expect(
      forecast(live.state, { ...MODEL, personMs: null, failShare: 0 }, 1, DRAWS).unfinished,
    ).toBe(1);
  });
});

describe('the rest of a running fleet', () => {
  const exact = { ...MODEL, spread: 0, slowShare: 0, failShare: 0, soakMs: 10 * MINUTE };
  const rest = (fleet: GivenFleet, model = exact) =>
    forecastRest(fleet.state, model, 1, { draws: 3, events: [], isCut: () => false });
  const ms = (fleet: GivenFleet, model = exact): number | undefined => rest(fleet, model)?.p50Ms;
  const one = (): GivenFleet => new GivenFleet({ rows: rowPlans({}) });

  it('takes off what its clusters have done of their change and soak', () => {
    const fleet = one();
    expect(ms(fleet)).toBe(100_000 + 10 * MINUTE);
    expect(ms(fleet.tick(40_000))).toBe(60_000 + 10 * MINUTE);
    expect(ms(fleet.report(0, SOAKING).tick(4 * MINUTE))).toBe(6 * MINUTE);
  });

  it('expects of what is overdue a tenth of its time again', () => {
    expect(ms(one().tick(HOUR))).toBe(10_000 + 10 * MINUTE);
    expect(ms(one().report(0, SOAKING).tick(HOUR))).toBe(MINUTE);
  });

  it('also takes it off what will fail', () => {
    const failing = { ...exact, failShare: 1, personMs: 0 };
    const [whole = 0, later = 0] = [one(), one().tick(1000)].map((each) => ms(each, failing));
    expect([whole > later, later > 100_000]).toEqual([true, true]);
  });

  it('has people judge what is held when they judge what will be', () => {
    const fleet = one().report(0, HELD).report(0, PARKED);
    expect(ms(fleet, { ...exact, personMs: HOUR })).toBe(HOUR + 100_000);
    expect(rest(fleet)?.unfinished).toBe(1);
  });

  it('takes it that what heals without a person does so now', () => {
    const fleet = one()
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, PARKED);
    expect(ms(fleet)).toBe(100_000 + 10 * MINUTE);
  });

  it('draws from what was measured, once that is enough', () => {
    const fleet = one();
    const twice = { changes: Array(5).fill(2), soaks: Array(5).fill(3) };
    expect(ms(fleet, { ...exact, measured: twice })).toBe(200_000 + 30 * MINUTE);
    const few = { changes: [2, 2, 2, 2], soaks: [3, 3, 3, 3] };
    expect(ms(fleet, { ...exact, measured: few })).toBe(100_000 + 10 * MINUTE);
  });

  it('ends with its last cluster, not with the windows that come after it', () => {
    const fleet = one();
    const opening = { opensAtMs: HOUR * 99, closesAtMs: HOUR * 100, closedBy: 'window' } as const;
    expect(ms(fleet.openings(0, opening))).toBe(100_000 + 10 * MINUTE);
  });

  it('of a fleet without clusters is nothing', () => {
    expect(ms(new GivenFleet({ rows: [] }))).toBe(0);
  });

  it('is not known where there is time for less than three runs of the rule', () => {
    const fleet = pageFleet(SMALL, 10);
    const within = (events: number, draws: number) => {
      let left = events;
      const isCut = (): boolean => (left -= 1) < 0;
      return forecastRest(fleet, MODEL, 1, { draws, events: [], isCut });
    };
    expect(within(10, 5)).toBeNull();
    expect(within(95, 25)?.draws).toBeLessThan(25);
    expect(within(1000, 5)?.draws).toBe(5);
    expect(within(1000, 2)?.draws).toBe(2);
  });
});

describe('a simulated fleet', () => {
  const given: FleetState = beginFleet(
    plan({ policy: POLICY, rows: rowPlans({ groups: ['region=r1'] }, { groups: ['region=r2'] }) }),
    0,
  );
  const row = { changeMs: 100, soakMs: 50, backMs: 10, fails: null };
  const fails = { afterMs: 20, signature: 'CCM4008' };
  const base: Simulation = {
    rows: [row, row],
    outages: [],
    events: [],
    latencyMs: 0,
    personMs: null,
  };

  it('accounts what each cluster changed and soaked', () => {
    const { journal, state } = simulateFleet(given, base);
    expect(state.nowMs).toBe(150);
    expect(journal.map(({ changeMs, soakMs, proven }) => [changeMs, soakMs, proven])).toEqual([
      [100, 50, true],
      [100, 50, true],
    ]);
  });

  it('stalls a group that is away, and goes on', () => {
    const outages = [{ group: 'region=r1', fromMs: 40, untilMs: 90 }];
    const { journal, state } = simulateFleet(given, { ...base, outages });
    expect(state.nowMs).toBe(200);
    expect(journal.map(({ changeMs }) => changeMs)).toEqual([150, 100]);
    expect(state.rows.every(({ burntMs }) => burntMs === null)).toBe(true);
  });

  it('parks what is away for long, and gives it its slot again', () => {
    const outages = [{ group: 'region=r1', fromMs: 40, untilMs: 20 * MINUTE }];
    const { state } = simulateFleet(given, { ...base, outages });
    expect(state.rows.map(({ phase, grant }) => [phase, grant])).toEqual([
      ['proven', 2],
      ['proven', 1],
    ]);
  });

  it('has a person roll back what is held', () => {
    const { state } = simulateFleet(given, {
      ...base,
      rows: [row, { ...row, fails }],
      personMs: 500,
    });
    expect(state.rows.map(({ phase }) => phase)).toEqual(['proven', 'back']);
  });

  it('leaves what no one judges', () => {
    const { state } = simulateFleet(given, { ...base, rows: [{ ...row, fails }, row] });
    expect(state.rows.map(({ phase }) => phase)).toEqual(['parked', 'proven']);
  });

  it('takes what arrives from outside', () => {
    const word = {
      commandId: 'x',
      actor: 'bo',
      reason: '',
      fleetRun: null,
      scope: { kind: 'fleet' },
    } as const;
    const events: readonly FleetEvent[] = [
      { kind: 'command', atMs: 10, command: { ...word, order: { verb: 'pause' } } },
      { kind: 'command', atMs: 20, command: { ...word, commandId: 'y', order: { verb: 'stop' } } },
    ];
    const { state } = simulateFleet(given, { ...base, events });
    expect(state.rows.map(({ phase }) => phase)).toEqual(['stopped', 'stopped']);
    expect(state.nowMs).toBe(20);
  });

  it('is told nothing of what it did before it was turned', () => {
    const scope = { kind: 'rows', rows: [0] } as const;
    const turned = {
      commandId: 'x',
      actor: 'bo',
      reason: '',
      fleetRun: given.fleetRun,
      scope,
      order: { verb: 'rollBack' },
    } as const;
    const { state } = simulateFleet(given, {
      ...base,
      events: [{ kind: 'command', atMs: 10, command: turned }],
    });
    expect(state.rows.map(({ phase, sinceMs }) => [phase, sinceMs])).toEqual([
      ['back', 20],
      ['proven', 150],
    ]);
  });
});

describe('the lower bound', () => {
  const limits = { inFlight: 2, unproven: 4, caps: {} };
  const one: JournalRow = {
    ...{ name: 'c', canary: false, groups: ['region=r1'], proven: true, changeMs: 10, soakMs: 5 },
  };

  it.each([
    ['an empty journal', limits, [], 0],
    ['one cluster', limits, [one], 15],
    ['in flight', limits, [one, one, one, one], 25],
    ['unproven', { ...limits, unproven: 2 }, [one, one, one, one], 30],
    ['a cap', { ...limits, caps: { region: 1 } }, [one, one, one, one], 40],
    ['a cap of another label', { ...limits, caps: { zone: 1 } }, [one, one, one, one], 25],
    ['the longest alone', limits, [one, { ...one, changeMs: 90 }], 95],
    ['canaries first', limits, [{ ...one, canary: true }, one], 30],
    ['failed clusters, which only take place', limits, [one, { ...one, proven: false }], 15],
  ] as const)('of %s', (_, policy, journal, expected) => {
    expect(lowerBound(policy, journal)).toBe(expected);
  });
});
