import { describe, expect, it } from '@jest/globals';
import type { FleetWaveSettings } from '../../../activities/fleet-input.js';
import {
  FORECAST_BUDGET_MS,
  forecastFleet,
  restOfFleet,
  type FleetRest,
} from '../../../cli/fleets/forecast-rest.js';
import { forecastText } from '../../../cli/screens/forecast-wording.js';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';
import {
  APPROVED_BEFORE,
  FAILED,
  GivenFleet,
  HELD,
  HOUR,
  MINUTE,
  PARKED,
  rowPlans,
  rows,
  STALLED,
  WAVE,
} from '../../domain/fleet/given-fleet.js';

const wave = (changes: Partial<FleetWaveSettings> = {}): FleetWaveSettings => ({
  // Of a wave's policy only the soak counts here.
  policy: { soakSeconds: 600 } as FleetWaveSettings['policy'],
  timings: {} as FleetWaveSettings['timings'],
  materials: {} as FleetWaveSettings['materials'],
  ...{ windows: [], excludedDates: [] },
  ...changes,
});

const CLOCK = (): number => 0;

function known(state: FleetState, waves = [wave()]): Extract<FleetRest, { kind: 'known' }> {
  const rest = forecastFleet(state, waves, CLOCK);
  if (rest?.kind !== 'known') throw new Error(`not known: ${JSON.stringify(rest)}`);
  return rest;
}

const many = (count: number): GivenFleet =>
  new GivenFleet(
    { rows: rowPlans(...Array<object>(count).fill({})) },
    { inFlight: 20, unproven: 20 },
  );

describe('when a running fleet ends', () => {
  it('is said by the plan until enough was measured, then by what was', () => {
    const fleet = many(20).tick(400_000);
    expect(known(fleet.state)).toMatchObject({ changes: 0, soaks: 0, afterPeople: false });
    fleet.prove(0, 1, 2, 3, 4);
    const quick = known(fleet.state);
    // Each took four times as long as planned and did not soak at all.
    expect(quick).toMatchObject({ changes: 5, soaks: 5, fromMs: fleet.atMs });
    expect(quick.p50Ms).toBeLessThan(10 * MINUTE);
  });

  it('begins with people where nothing goes on without them, and takes it that they let it go on', () => {
    const fleet = many(6);
    fleet.command({ verb: 'pause' });
    expect(known(fleet.state).afterPeople).toBe(true);
    fleet.command({ verb: 'resume' });
    fleet.command({ verb: 'freeze' });
    expect(known(fleet.state).afterPeople).toBe(true);
    const held = new GivenFleet({ rows: rowPlans({}) }).report(0, HELD).report(0, PARKED);
    expect(known(held.state)).toMatchObject({ afterPeople: true, p90Ms: 30 * MINUTE + 100_000 });
  });

  it('takes approvals as given, and says that they come on top', () => {
    const waves = [WAVE, { ...APPROVED_BEFORE, name: 'last' }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({}, { wave: 1 }) });
    expect(known(fleet.state, [wave(), wave()])).toMatchObject({ approvals: true });
    fleet.command({ verb: 'reject', subject: { kind: 'before', wave: 1 } });
    expect(known(fleet.state, [wave(), wave()]).p50Ms).toBeGreaterThan(20 * MINUTE);
    const given = { state: fleet.state.waves.map((each) => ({ ...each, begunMs: 0 })) };
    expect(known({ ...fleet.state, waves: given.state }, [wave(), wave()]).approvals).toBe(false);
  });

  it('begins with people where a run waits for their word, and says so where others go on', () => {
    const approval = { ...STALLED, signature: 'CCM4015 handover' };
    const alone = new GivenFleet({ rows: rowPlans({ canary: true }, {}) }).report(0, approval);
    expect(known(alone.state)).toMatchObject({ afterPeople: true, approvals: true });
    const paused = many(6).report(0, { ...STALLED, signature: 'paused' });
    const said = { afterPeople: false, approvals: false, paused: true };
    expect(known(paused.state)).toMatchObject(said);
  });

  it('takes it that people let groups go on that failures held', () => {
    const groups = ['region=r1'];
    const plans = rowPlans({ groups }, { groups }, {});
    const correlated = { failures: 1, sharePercent: 25 };
    const fleet = new GivenFleet({ rows: plans }, { inFlight: 1, correlated }).report(0, FAILED);
    expect(fleet.waits(1)).toBe('group');
    expect(restOfFleet(fleet.state, [wave()]).state).toMatchObject({
      groupHolds: [],
      judgedMs: { 'region=r1': fleet.atMs },
    });
    expect(known(fleet.state).p50Ms).toBeGreaterThan(0);
  });

  it('follows the windows of its waves, farther than the fleet itself has asked for them', () => {
    const waves = [{ ...WAVE, scheduled: true }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({}) });
    const window = { days: ['Sa'], from: '10:00', to: '12:00', timeZone: 'UTC' };
    // 1 January 1970 was a Thursday.
    const { p50Ms, fromMs } = known(fleet.state, [wave({ windows: [window] })]);
    expect(fromMs + p50Ms).toBeGreaterThan(58 * HOUR);
    expect(fromMs + p50Ms).toBeLessThan(60 * HOUR);
    const unreadable = wave({ windows: [{ ...window, from: 'noon' }] });
    expect(restOfFleet(fleet.state, [unreadable]).events).toEqual([]);
    expect(forecastFleet(fleet.state, [unreadable], CLOCK)).toMatchObject({ why: 'unfinished' });
  });

  it('is not known where clusters do not end, without its input, or above the budget of time', () => {
    const late = new GivenFleet({ rows: rowPlans({}, {}) }, { inFlight: 1, deadlineMs: 2000 });
    const unfinished = forecastFleet(late.state, [wave()], CLOCK);
    expect(unfinished).toEqual({ kind: 'unknown', why: 'unfinished', unfinished: 1 });
    expect(forecastFleet(late.state, null, CLOCK)).toMatchObject({ why: 'input' });
    let nowMs = 0;
    const slow = (): number => (nowMs += FORECAST_BUDGET_MS / 10);
    expect(forecastFleet(many(20).state, [wave()], slow)).toMatchObject({ why: 'slow' });
  });

  it('is nothing for a fleet that is over or stopping', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) });
    const over = new GivenFleet({ rows: rowPlans({}) }).prove(0);
    fleet.command({ verb: 'stop' });
    expect(forecastFleet(fleet.state, [wave()], CLOCK)).toBeNull();
    expect(forecastFleet(over.state, [wave()], CLOCK)).toBeNull();
    const skipped = new GivenFleet({ rows: rowPlans({}) });
    skipped.command({ verb: 'skip' }, rows(0));
    expect(known(skipped.state).p50Ms).toBeGreaterThan(0);
  });
});

describe('the words for it', () => {
  const NOW = 20 * HOUR;
  const rest: Extract<FleetRest, { kind: 'known' }> = {
    ...{ kind: 'known', fromMs: NOW, p50Ms: HOUR, p90Ms: 2 * HOUR, afterPeople: false },
    ...{ changes: 37, soaks: 21, approvals: false, paused: false },
  };

  it.each<readonly [FleetRest, string]>([
    [rest, 'ends 21:00Z to 22:00Z · measured in 37 changes and 21 soaks'],
    [{ ...rest, p90Ms: HOUR }, 'ends 21:00Z · measured in 37 changes and 21 soaks'],
    [{ ...rest, soaks: 4 }, 'ends 21:00Z to 22:00Z · measured in 37 changes, soaks as planned'],
    [
      { ...rest, changes: 1, approvals: true },
      'ends 21:00Z to 22:00Z · by the plan, only 1 cluster measured yet; approvals come on top',
    ],
    [
      { ...rest, paused: true },
      'ends 21:00Z to 22:00Z · measured in 37 changes and 21 soaks; it takes paused runs as resumed',
    ],
    [
      { ...rest, afterPeople: true, changes: 0 },
      '1 h to 2 h more, once people let it go on · by the plan, no cluster measured yet',
    ],
    [{ ...rest, fromMs: 0 }, 'overdue · measured in 37 changes and 21 soaks'],
    [{ kind: 'unknown', why: 'slow', unfinished: 0 }, 'not known: it would take more than 2 s'],
    [
      { kind: 'unknown', why: 'unfinished', unfinished: 3 },
      'not known: 3 clusters may not end: limits, canaries, windows or deadline do not let them',
    ],
    [
      { kind: 'unknown', why: 'input', unfinished: 0 },
      'not known: the server no longer has what this fleet was started with',
    ],
  ])('of %j', (given, text) => {
    expect(forecastText(given, NOW)).toBe(text);
  });
});
