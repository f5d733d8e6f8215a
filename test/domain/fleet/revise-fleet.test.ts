import { describe, expect, it } from '@jest/globals';
import { applyRevision } from '../../../domain/fleet/fleet-commands.js';
import type { FleetPlan } from '../../../domain/fleet/fleet-plan.js';
import { UNKNOWN } from '../../../domain/fleet/other-runs.js';
import { reviseFleet } from '../../../domain/fleet/revise-fleet.js';
import { APPROVED_BEFORE, GivenFleet, HOUR, POLICY, rowPlans, rows, WAVE } from './given-fleet.js';
import {
  afterRevision,
  fleetOfTwoWaves,
  LAST_WAVE,
  MAIN_WAVE,
  PILOT_WAVE,
  PLANNED_ROWS,
  type RevisionChange,
  revisionOf,
  SETTINGS_BEFORE,
  TWO_WAVES,
} from './given-revision.js';

function refusedBecause(fleet: GivenFleet, changes: Omit<RevisionChange, 'fleet'> = {}): string {
  const result = reviseFleet(fleet.state, revisionOf({ fleet, ...changes }), SETTINGS_BEFORE);
  return result.kind === 'refused' ? result.detail : result.kind;
}

describe('a new plan for an open fleet', () => {
  it('takes in clusters, leaves out, moves and plans again what waits; what has begun stays', () => {
    const fleet = fleetOfTwoWaves();
    const begun = fleet.state.rows.slice(0, 2);
    const planned = rowPlans({}, { wave: 1 }, { wave: 1 }, { name: 'd', wave: 1 }).slice(1);
    const texts = { waves: SETTINGS_BEFORE.waves, members: ['c1 new', 'c2 new', 'd'] };
    const { changes, members } = afterRevision(fleet, { plan: { rows: planned }, texts });
    expect(fleet.state.rows.slice(0, 2)).toEqual(begun);
    expect(fleet.phases()).toEqual(['active', 'active', 'waiting', 'skipped', 'waiting']);
    expect(fleet.row(3)).toMatchObject({ name: 'c3', cause: 'person' });
    expect(fleet.row(4)).toMatchObject({ name: 'd', index: 4, wave: 1, grant: 0, sinceMs: 1000 });
    expect(changes).toMatchObject({
      ...{ joins: [{ name: 'd', wave: 'main' }], leaves: ['c3'], moves: [], replanned: ['c2'] },
      ...{ underWay: 2, waves: [], policy: [], keptBudget: null, approvedAgain: [] },
    });
    expect(members).toEqual([
      ...[0, 1].map((index) => ({ from: 'before', index })),
      { from: 'plan', index: 1 },
      { from: 'before', index: 3 },
      { from: 'plan', index: 2 },
    ]);
    fleet.prove(0, 1).prove(2, 4);
    expect(fleet.phases()).toEqual(['proven', 'proven', 'proven', 'skipped', 'proven']);
  });

  it('is revision and plan of the fleet from now on, asked for by who sent it', () => {
    const fleet = fleetOfTwoWaves();
    afterRevision(fleet, {
      plan: { waves: [PILOT_WAVE, { ...MAIN_WAVE, approvals: { before: 1, after: 0 } }] },
    });
    const { state } = fleet;
    expect([state.requester, state.planDigest, state.revision]).toEqual(['bo', 'sha256:second', 2]);
    fleet.prove(0, 1);
    const approve = (planDigest: string, seen: number, actor: string): string =>
      fleet.command(
        { verb: 'approve', subject: { kind: 'before', wave: 1 }, planDigest, revision: seen },
        { kind: 'fleet' },
        actor,
      ).detail;
    expect(approve('sha256:plan', 1, 'cy')).toContain('another plan or revision');
    expect(approve('sha256:second', 2, 'bo')).toContain('asked for this fleet');
    expect(approve('sha256:second', 2, 'cy')).toBe('1 of 1 approvals');
    expect(fleet.phases()).toEqual(['proven', 'proven', 'active', 'active']);
  });

  it('makes a wave that has begun wait for its approvals again, with all that still waits in it', () => {
    const waves = [{ ...APPROVED_BEFORE, name: 'pilot' }, MAIN_WAVE];
    const fleet = new GivenFleet({ waves, rows: PLANNED_ROWS }, { inFlight: 1 });
    const approve = (): void => {
      const { planDigest, revision: seen } = fleet.state;
      const subject = { kind: 'before', wave: 0 } as const;
      fleet.command(
        { verb: 'approve', subject, planDigest, revision: seen },
        { kind: 'fleet' },
        'cy',
      );
    };
    approve();
    const policy = { ...POLICY, inFlight: 1, slowStart: 1 };
    const { changes } = afterRevision(fleet, { plan: { waves, policy } });
    expect(changes.approvedAgain).toEqual(['pilot']);
    fleet.prove(0);
    expect([fleet.row(1).phase, fleet.waits(1)]).toEqual(['waiting', 'wave']);
    approve();
    expect(fleet.row(1).phase).toBe('active');
  });

  it('adds waves, drops and reorders those that have not begun, and keeps what people said of a wave by its name', () => {
    const fleet = new GivenFleet({ waves: [PILOT_WAVE, MAIN_WAVE, LAST_WAVE], rows: PLANNED_ROWS });
    fleet.command({ verb: 'pause' }, { kind: 'wave', wave: 1 });
    fleet.command({ verb: 'pause' }, rows(3));
    const extra = { ...WAVE, name: 'extra' };
    const planned = rowPlans({}, {}, { wave: 2 }, { wave: 1 });
    const changed = { waves: [PILOT_WAVE, extra, MAIN_WAVE], rows: planned };
    const texts = { waves: ['pilot 1', 'extra', 'main 1'], members: SETTINGS_BEFORE.members };
    const { changes } = afterRevision(fleet, { plan: changed, texts });
    expect(changes.waves).toEqual([
      ...[
        { name: 'last', change: 'removed' },
        { name: 'extra', change: 'added' },
      ],
      { name: 'main', change: 'changed' },
    ]);
    expect(changes.moves).toEqual([{ name: 'c3', from: 'main', wave: 'extra' }]);
    expect(fleet.state.brakes.map(({ scope }) => scope)).toEqual([
      ...[
        { kind: 'wave', wave: 2 },
        { kind: 'rows', rows: [3] },
      ],
    ]);
    expect([2, 3].map((row) => fleet.waits(row))).toEqual(['paused', 'paused']);
  });

  it('puts what belongs into a wave that is over into the last open one, and makes no canary of it', () => {
    const fleet = fleetOfTwoWaves().prove(0, 1);
    expect(fleet.state.waves.map(({ over }) => over)).toEqual([true, false]);
    const joins = rowPlans({}, {}, {}, {}, { name: 'd', canary: true });
    const planned = [...PLANNED_ROWS, ...joins.slice(4)];
    const texts = { waves: ['pilot 2', 'main 1'], members: [...SETTINGS_BEFORE.members, 'd'] };
    const { state, waves, changes } = afterRevision(fleet, { plan: { rows: planned }, texts });
    expect(fleet.row(4)).toMatchObject({ name: 'd', wave: 1, canary: false });
    expect(waves.map(({ from }) => from)).toEqual(['before', 'plan']);
    expect(changes.waves).toEqual([]);
    expect(state.waves.map((each) => each.overAtRevision)).toEqual([true, undefined]);
  });

  it('names new canaries only in waves that have not begun', () => {
    const fleet = new GivenFleet({ waves: TWO_WAVES, rows: PLANNED_ROWS }, { inFlight: 1 });
    const canaries = PLANNED_ROWS.map((row) => ({ ...row, canary: true }));
    const { changes } = afterRevision(fleet, {
      plan: { rows: canaries, policy: { ...POLICY, inFlight: 1 } },
    });
    expect(fleet.state.rows.map(({ canary }) => canary)).toEqual([false, false, true, true]);
    expect(changes.replanned).toEqual(['c2', 'c3']);
  });

  it('lowers limits at once and raises them by another person; the failure budget only goes down', () => {
    const fleet = fleetOfTwoWaves();
    const policy = {
      ...{ ...POLICY, inFlight: 1, unproven: 9, slowStart: 3 },
      budget: { clusters: 200, counts: 'untilProven' as const },
    };
    const { changes } = afterRevision(fleet, { plan: { policy }, principal: 'ben' });
    expect(fleet.state.requesterPrincipal).toBe('ben');
    expect(fleet.state.policy).toMatchObject({
      ...{ inFlight: 1, unproven: 4, slowStart: 3 },
      budget: { clusters: 100, counts: 'untilProven' },
    });
    expect(fleet.state.pendingLimits).toMatchObject({ inFlight: 1, actor: 'bo', principal: 'ben' });
    expect(changes.keptBudget).toBe(100);
    expect(changes.policy.map(({ name, before, after: then }) => [name, before, then])).toEqual([
      ...[
        ['inFlight', '2', '1'],
        ['unproven', '4', '9'],
      ],
      ['budget', '{"clusters":100,"counts":"inFlight"}', '{"clusters":100,"counts":"untilProven"}'],
      ['slowStart', '100', '3'],
    ]);
    const lower = { ...policy, unproven: 4, budget: { clusters: 7, counts: 'inFlight' as const } };
    afterRevision(fleet, { plan: { policy: lower } });
    expect(fleet.state.policy.budget).toEqual({ clusters: 7, counts: 'untilProven' });
    expect(fleet.state.pendingLimits).toBeNull();
  });

  it('asks for the openings of its waves again, which may be other ones', () => {
    const scheduled = { ...PILOT_WAVE, scheduled: true };
    const fleet = fleetOfTwoWaves({ waves: [scheduled, MAIN_WAVE] });
    fleet.openings(0, { opensAtMs: 0, closesAtMs: HOUR, closedBy: 'window' });
    afterRevision(fleet, { plan: { waves: [scheduled, LAST_WAVE], rows: PLANNED_ROWS } });
    expect(fleet.state.waves[0]?.openings).toEqual([]);
  });

  it('counts the runs of others again, which were counted by the caps of the plan before', () => {
    const fleet = fleetOfTwoWaves({
      rows: rowPlans({}, {}, { wave: 1 }, { wave: 1, groups: ['rack=a'] }),
    });
    const asked = { kind: 'otherRuns', revision: fleet.state.revision, counts: {} } as const;
    afterRevision(fleet, { plan: { policy: { ...POLICY, caps: { rack: 1 } } } });
    fleet.tell({ ...asked, atMs: fleet.atMs, askedAtMs: fleet.atMs, unlabelled: 0 });
    expect(fleet.state.otherRuns).toEqual(UNKNOWN);
  });

  it.each<[string, (fleet: GivenFleet) => Omit<RevisionChange, 'fleet'>, RegExp]>([
    ['for another fleet of its name', () => ({ fleetRun: 'run-0' }), /another fleet of this name/],
    [
      'that follows an older revision',
      () => ({ revision: 0 }),
      /has revision 1, and this one follows 0/,
    ],
    [
      'that moves a wave which has begun',
      () => ({ plan: { waves: [MAIN_WAVE, PILOT_WAVE] } }),
      /wave pilot has begun: it must stay wave 1/,
    ],
    [
      'without a wave which has begun',
      () => ({ plan: { waves: [MAIN_WAVE], rows: rowPlans({}) } }),
      /wave pilot has begun/,
    ],
    [
      'without a wave that a person holds',
      (fleet) => {
        fleet.command({ verb: 'pause' }, { kind: 'wave', wave: 1 });
        return { plan: { waves: [PILOT_WAVE, LAST_WAVE] } };
      },
      /wave main is held by bo.*release it first/,
    ],
    [
      'for a fleet that is stopping',
      (fleet) => {
        fleet.command({ verb: 'stop' });
        return {};
      },
      /stopping/,
    ],
    [
      'for a fleet that does its last pass',
      (fleet) => {
        fleet.state = { ...fleet.state, lastPassBegun: true };
        return {};
      },
      /last pass has begun/,
    ],
    [
      'with new clusters when every wave is over',
      (fleet) => {
        const waves = fleet.state.waves.map((wave) => ({ ...wave, over: true }));
        fleet.state = { ...fleet.state, waves };
        return { plan: { rows: [...PLANNED_ROWS, ...rowPlans({ name: 'd' })] } };
      },
      /every wave is over/,
    ],
    ['that changes nothing', () => ({}), /unchanged/],
  ])('is refused %s', (_, changes, words) => {
    const fleet = fleetOfTwoWaves();
    const change = changes(fleet);
    const before = fleet.state;
    expect(refusedBecause(fleet, change)).toMatch(words);
    const asked = revisionOf({ fleet, ...change });
    const { state, revised: result } = applyRevision(fleet.state, asked, SETTINGS_BEFORE);
    expect(result).toBeNull();
    expect({ ...state, answers: before.answers }).toEqual(before);
    expect(state.answers['r']).toMatchObject({ state: 'refused', verb: 'revise', actor: 'bo' });
  });

  it('is applied once, and its answer counts the clusters that it changes', () => {
    const fleet = fleetOfTwoWaves();
    const planned = [...PLANNED_ROWS.slice(0, 3), ...rowPlans({ name: 'd', wave: 1 })];
    const texts = { ...SETTINGS_BEFORE, members: ['c0', 'c1', 'c2 new', 'd'] };
    const asked = revisionOf({ fleet, plan: { rows: planned }, texts });
    const once = applyRevision(fleet.state, asked, SETTINGS_BEFORE);
    expect(once.state.answers['r']).toMatchObject({
      ...{ state: 'applied', applied: 3, refused: 0, atMs: 1000 },
      detail: 'revision 2: 1 joining, 1 left out, 1 planned again, 2 under way, unchanged',
    });
    const twice = applyRevision(once.state, asked, SETTINGS_BEFORE);
    expect(twice).toEqual({ state: once.state, revised: null });
  });

  it('says when only settings or the budget change', () => {
    const fleet = fleetOfTwoWaves().prove(0, 1).prove(2, 3);
    fleet.state = { ...fleet.state, lastPassBegun: false };
    const said = (policy: FleetPlan['policy']): string | undefined =>
      applyRevision(fleet.state, revisionOf({ fleet, plan: { policy } }), SETTINGS_BEFORE).state
        .answers['r']?.detail;
    expect(said({ ...POLICY, slowStart: 4 })).toBe('revision 2: settings changed');
    const higher = { clusters: 200, counts: 'inFlight' as const };
    expect(said({ ...POLICY, slowStart: 4, budget: higher })).toBe(
      'revision 2: the failure budget stays 100',
    );
  });
});
