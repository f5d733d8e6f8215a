import { describe, expect, it } from '@jest/globals';
import type { ReportKind } from '../../../domain/fleet/fleet-events.js';
import type { RowPhase } from '../../../domain/fleet/fleet-state.js';
import {
  BACK_AGAIN,
  ENDED,
  FAILED,
  GivenFleet,
  HELD,
  MINUTE,
  PARKED,
  READY,
  REFUSED,
  rows,
  SOAKING,
  STALLED,
  STOPPED,
} from './given-fleet.js';

/** What a row reported before, what it reports now, and where that leaves it. */
type Case = readonly [
  before: string,
  reports: readonly ReportKind[],
  phase: RowPhase,
  burnt: number,
];

const TURNED = {
  ...{ kind: 'turned', target: 'kcm', byPerson: true, changed: true },
  ...{ signature: 'CCM3001', reversibility: 'yes' },
} as const satisfies ReportKind;

const CASES: readonly Case[] = [
  ['soaking', [SOAKING], 'soaking', 0],
  ['soaking twice', [SOAKING, SOAKING], 'soaking', 0],
  ['proven', [SOAKING, ENDED], 'proven', 0],
  ['proven, and its soak was lost', [ENDED], 'proven', 0],
  ['a failure', [FAILED], 'failed', 1],
  ['a failure in the soak', [SOAKING, FAILED], 'failed', 1],
  ['a failure before any change', [{ ...FAILED, changed: false }], 'failed', 0],
  ['a report after it failed', [FAILED, ENDED], 'failed', 1],
  ['a rollback that no person asked for', [BACK_AGAIN], 'back', 1],
  ['a rollback that a person asked for', [{ ...BACK_AGAIN, asked: true }], 'back', 0],
  ['a rollback without a change', [{ ...BACK_AGAIN, changed: false }], 'back', 0],
  ['a stop', [STOPPED], 'stopped', 0],
  ['a refusal', [REFUSED], 'skipped', 0],
  ['a refusal after a change', [{ ...REFUSED, changed: true }], 'failed', 1],
  ['a refusal after a former change', [SOAKING, REFUSED], 'failed', 0],
  ['a hold that heals', [STALLED], 'stalled', 0],
  ['a hold that heals, twice', [STALLED, STALLED], 'stalled', 0],
  ['a stall that has healed', [STALLED, READY], 'active', 0],
  ['a stall in the soak', [SOAKING, STALLED], 'soaking', 0],
  ['a stall that soaks after all', [STALLED, SOAKING], 'soaking', 0],
  ['a hold for judgement', [HELD], 'parking', 1],
  ['a hold for judgement, twice', [HELD, HELD], 'parking', 1],
  ['a hold for judgement after a stall', [STALLED, HELD], 'parking', 1],
  ['a hold for judgement before any change', [{ ...HELD, changed: false }], 'parking', 0],
  ['a hold for judgement in the soak', [SOAKING, HELD], 'parked', 1],
  ['parked', [HELD, PARKED], 'parked', 1],
  ['parked twice', [HELD, PARKED, PARKED], 'parked', 1],
  ['parked without being told', [PARKED], 'parked', 0],
  ['parked in the soak', [SOAKING, PARKED], 'parked', 0],
  ['parked in the soak after a failure', [HELD, SOAKING, PARKED, READY], 'parked', 1],
  ['soaking although told to park', [HELD, SOAKING], 'soaking', 1],
  ['ready without a stall', [READY], 'active', 0],
  ['ready with a hold for judgement', [HELD, PARKED, READY], 'parked', 1],
  ['a drift', [{ ...REFUSED, outcome: 'drifted' }], 'failed', 0],
  ['a drift after a former change', [SOAKING, { ...REFUSED, outcome: 'drifted' }], 'failed', 0],
  ['another run that holds the fence', [{ ...REFUSED, outcome: 'busy' }], 'waiting', 0],
  ['a turn by a person', [TURNED], 'active', 0],
  ['a turn by its policy', [{ ...TURNED, byPerson: false }], 'active', 1],
  ['a turn by its policy, to its end', [{ ...TURNED, byPerson: false }, BACK_AGAIN], 'back', 1],
  ['a turn before any change', [{ ...TURNED, byPerson: false, changed: false }], 'active', 0],
  ['a turn in the soak', [SOAKING, TURNED], 'active', 0],
  ['a turn forward', [{ ...TURNED, byPerson: false, target: 'ccm' }], 'active', 0],
  ['a turn of a parked member', [STALLED, PARKED, TURNED], 'active', 0],
  ['a hold in a rollback that a person asked for', [TURNED, HELD], 'parking', 0],
];

describe('a report', () => {
  it.each(CASES)('of %s', (_, reports, phase, burnt) => {
    const fleet = new GivenFleet({}, { inFlight: 1 });
    for (const report of reports) fleet.report(0, report);
    expect(fleet.row(0).phase).toBe(phase);
    expect(fleet.state.rows.filter(({ burntMs }) => burntMs !== null).length).toBe(burnt);
  });

  it('counts once, however often it arrives', () => {
    const fleet = new GivenFleet();
    const report = { fleetRun: 'run-1', row: 0, grant: 1, sequence: 1, what: HELD };
    fleet.tell({ kind: 'report', atMs: fleet.atMs, report });
    expect(fleet.acted('park')).toEqual([0]);
    const { state } = fleet;
    fleet.tell({ kind: 'report', atMs: fleet.atMs, report });
    expect(fleet.actions).toEqual([]);
    expect(fleet.state).toEqual(state);
  });

  it.each([
    ['of an earlier fleet of the same name', { fleetRun: 'run-0' }],
    ['of another grant', { grant: 2 }],
    ['of a row that does not exist', { row: 99 }],
    ['of a row that has not started', { row: 5, grant: 0 }],
    ['that an earlier one overtook', { sequence: 0 }],
  ])('%s changes nothing', (_, changes) => {
    const fleet = new GivenFleet();
    const { state } = fleet;
    const report = { fleetRun: 'run-1', row: 0, grant: 1, sequence: 1, what: ENDED, ...changes };
    fleet.tell({ kind: 'report', atMs: fleet.atMs, report });
    expect(fleet.state).toEqual(state);
    expect(fleet.actions).toEqual([]);
  });

  it('of a parked member waits for its slot and gets it with a new grant', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 });
    fleet.report(0, STALLED).tick(10 * MINUTE);
    expect(fleet.acted('park')).toEqual([0]);
    fleet.report(0, PARKED);
    expect(fleet.acted('start')).toEqual([1]);
    expect(fleet.waits(0)).toBe('healing');
    fleet.report(0, READY);
    expect(fleet.waits(0)).toBe('inFlight');
    fleet.report(1, SOAKING);
    expect(fleet.actions).toEqual([{ kind: 'grant', row: 0, grant: 2, target: 'ccm' }]);
    expect(fleet.row(0)).toMatchObject({ phase: 'active', burntMs: null, ready: false });
  });

  it('of a drift or a busy cluster counts as such an answer to its start', () => {
    for (const outcome of ['drifted', 'busy'] as const) {
      for (const policy of ['skip', 'wait', 'fail'] as const) {
        const told = new GivenFleet({}, { [outcome]: policy });
        const answered = new GivenFleet({}, { [outcome]: policy });
        told.report(0, { ...REFUSED, outcome, signature: `start ${outcome}` });
        answered.answerStart(0, outcome);
        const { reversibility, sequence } = told.row(0);
        expect(told.row(0)).toEqual({ ...answered.row(0), reversibility, sequence });
      }
    }
  });

  it('of a turn makes the rest of the run a rollback', () => {
    const fleet = new GivenFleet({}, { onFailure: 'rollBack' }).report(0, TURNED);
    expect(fleet.row(0)).toMatchObject({ target: 'kcm', turnedByPerson: true });
    fleet.report(0, SOAKING).report(0, HELD);
    expect(fleet.acted('turn')).toEqual([]);
    expect(fleet.row(0)).toMatchObject({ phase: 'parking', burntMs: null });
  });

  it('of a stall in the soak that has healed leaves nothing of it', () => {
    const fleet = new GivenFleet().report(0, SOAKING).report(0, STALLED);
    expect(fleet.row(0)).toMatchObject({ heals: true, signature: 'unreachable' });
    fleet.report(0, READY);
    expect(fleet.row(0)).toMatchObject({ phase: 'soaking', heals: false, signature: '' });
  });

  it('of a stall while it parks takes its readiness back', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 });
    fleet
      .report(0, STALLED)
      .tick(10 * MINUTE)
      .report(0, READY);
    expect(fleet.row(0).ready).toBe(true);
    fleet.report(0, STALLED).report(0, PARKED);
    expect(fleet.waits(0)).toBe('healing');
  });

  it('of a parked member that stalls now is no longer for a person', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 }).report(0, HELD).report(0, PARKED);
    expect(fleet.waits(0)).toBe('person');
    fleet.report(0, STALLED);
    expect(fleet.waits(0)).toBe('healing');
    fleet.report(0, HELD);
    expect(fleet.waits(0)).toBe('person');
  });
});

describe('a hold for judgement', () => {
  it('is not over because its member says so', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 });
    fleet.report(0, HELD).report(0, PARKED).report(0, READY);
    expect(fleet.waits(0)).toBe('person');
  });
});

describe('a park that crosses the begin of the soak', () => {
  it('leaves a cluster that a person judges where it had failed', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 }).report(0, HELD).report(0, SOAKING);
    fleet.report(0, PARKED).report(0, READY);
    expect(fleet.waits(0)).toBe('person');
    fleet.command({ verb: 'retry', only: { kind: 'all' } }, rows(0));
    expect(fleet.report(1, SOAKING).actions).toContainEqual({
      ...{ kind: 'grant', row: 0, grant: 2, target: 'ccm' },
    });
  });

  it('gives the slot again to a stall that had healed', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 }).report(0, STALLED).tick(10 * MINUTE);
    fleet.report(0, READY).report(0, SOAKING).report(0, PARKED);
    expect(fleet.row(1).phase).toBe('active');
    fleet.report(0, READY);
    expect(fleet.waits(0)).toBe('inFlight');
    expect(fleet.report(1, SOAKING).acted('grant')).toEqual([0]);
  });
});

describe('a failure where the policy rolls back', () => {
  const rollingBack = (): GivenFleet => new GivenFleet({}, { inFlight: 1, onFailure: 'rollBack' });

  it('turns a held member, which keeps its slot', () => {
    const fleet = rollingBack().report(0, HELD);
    expect(fleet.actions).toEqual([{ kind: 'turn', row: 0, grant: 1, target: 'kcm' }]);
    fleet.report(0, SOAKING);
    expect(fleet.row(0)).toMatchObject({ phase: 'active', target: 'kcm' });
    fleet.report(0, BACK_AGAIN);
    expect(fleet.phases().slice(0, 2)).toEqual(['back', 'active']);
    expect(fleet.row(0).burntMs).not.toBeNull();
  });

  it('turns a soaking member at once, above the limit', () => {
    const fleet = rollingBack().report(0, SOAKING);
    expect(fleet.row(1).phase).toBe('active');
    fleet.report(0, HELD);
    expect(fleet.acted('turn')).toEqual([0]);
    fleet.report(1, SOAKING);
    expect(fleet.acted('start')).toEqual([]);
  });

  it('starts a rollback after a run that failed', () => {
    const fleet = rollingBack().report(0, FAILED);
    expect(fleet.actions).toEqual([{ kind: 'start', row: 0, grant: 2, target: 'kcm' }]);
  });

  it.each([
    ['nothing was changed', { changed: false }],
    ['it cannot go back', { reversibility: 'no' }],
  ] as const)('holds when %s', (_, changes) => {
    expect(
      rollingBack()
        .report(0, { ...HELD, ...changes })
        .acted('park'),
    ).toEqual([0]);
  });

  it('turns a run whose rollback something blocks that can pass: the run waits for it', () => {
    const fleet = rollingBack().report(0, { ...HELD, reversibility: 'later' });
    expect(fleet.acted('turn')).toEqual([0]);
  });

  it('holds a rollback that fails itself', () => {
    const fleet = rollingBack().report(0, HELD).report(0, HELD);
    expect(fleet.acted('park')).toEqual([0]);
  });

  it('holds a run that is told to stop', () => {
    const fleet = rollingBack();
    fleet.command({ verb: 'stop' }, rows(0));
    expect(fleet.report(0, HELD).acted('park')).toEqual([0]);
  });
});

describe('a sweep', () => {
  it('finds a terminated member, which burns', () => {
    const fleet = new GivenFleet().sweep(0, { kind: 'terminated' });
    expect(fleet.row(0)).toMatchObject({ phase: 'failed', signature: 'terminated' });
    expect(fleet.row(0).burntMs).not.toBeNull();
  });

  it('finds what a lost report would have said', () => {
    expect(new GivenFleet().sweep(0, ENDED).row(0).phase).toBe('proven');
  });

  it('of a former grant changes nothing', () => {
    const fleet = new GivenFleet();
    fleet.tell({ kind: 'swept', atMs: 1000, row: 0, grant: 7, found: ENDED });
    expect(fleet.row(0).phase).toBe('active');
  });
});

describe('a start that comes to nothing', () => {
  it.each([
    ['started', 'active'],
    ['adopted', 'active'],
    ['refused', 'skipped'],
    ['unreachable', 'skipped'],
    ['busy', 'waiting'],
    ['drifted', 'failed'],
    ['queued', 'waiting'],
  ] as const)('%s leaves the row %s', (answer, phase) => {
    const fleet = new GivenFleet().answerStart(0, answer);
    expect(fleet.row(0)).toMatchObject({ phase, burntMs: null });
  });

  it('is tried again after a pause, behind what has not started', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 }).answerStart(0, 'busy');
    expect(fleet.waits(0)).toBe('retry');
    expect(fleet.row(1).phase).toBe('active');
    fleet.tick(5 * MINUTE).prove(1);
    expect(fleet.row(2).phase).toBe('active');
    expect(fleet.waits(0)).toBe('inFlight');
  });

  it('is no news after the member has reported, or in another grant', () => {
    const fleet = new GivenFleet().report(0, STALLED).answerStart(0, 'refused');
    expect(fleet.row(0).phase).toBe('stalled');
    const event = { kind: 'startAnswered', atMs: 0, answer: 'refused', signature: '' } as const;
    expect(fleet.tell({ ...event, row: 1, grant: 2 }).row(1).phase).toBe('active');
    expect(fleet.tell({ ...event, row: 99, grant: 0 }).row(1).phase).toBe('active');
    expect(fleet.tell({ ...event, row: 5, grant: 0 }).row(5).phase).toBe('waiting');
  });

  it('ends a member that was told to stop', () => {
    const fleet = new GivenFleet();
    fleet.command({ verb: 'stop' }, rows(0));
    expect(fleet.answerStart(0, 'unreachable').row(0).phase).toBe('stopped');
  });

  it('never shows a changed cluster as left alone', () => {
    const fleet = new GivenFleet({}, { inFlight: 1 }).report(0, SOAKING).report(0, FAILED);
    fleet.command({ verb: 'retry', only: { kind: 'failed' } }, rows(0));
    for (const row of [1, 2, 3, 4, 5]) fleet.prove(row);
    expect(fleet.row(0).phase).toBe('active');
    expect(fleet.answerStart(0, 'unreachable').row(0).phase).toBe('failed');
  });

  it.each([
    ['unreachable', true],
    ['refused', false],
    ['drifted', false],
  ] as const)('of a rollback, %s: tried again %s', (answer, again) => {
    const fleet = new GivenFleet({}, { inFlight: 6, unproven: 6 }).prove(0);
    fleet.command({ verb: 'rollBack' }, rows(0));
    fleet.answerStart(0, answer);
    expect(fleet.row(0)).toMatchObject({ phase: 'failed', rollbackQueued: again });
    fleet.tick(5 * MINUTE);
    expect(fleet.acted('start').includes(0)).toBe(again);
  });
});
