import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FleetTransition } from '../../../domain/fleet/fleet-events.js';
import {
  EMPTY_OUTBOX,
  type FleetOutbox,
  takeStarts,
  withActions,
} from '../../../domain/fleet/fleet-outbox.js';
import { headroomOf } from '../../../domain/fleet/headroom.js';
import { startObstacle } from '../../../domain/fleet/wait-reasons.js';
import { FleetRun, must } from './any-fleet.js';
import { fleets, RUNS } from './drawn-fleets.js';
import {
  FAILED,
  GivenFleet,
  HOUR,
  MINUTE,
  REFUSED,
  rowPlans,
  rows,
  SOAKING,
  STOPPED,
  WAVE,
} from './given-fleet.js';

const ANA = { actor: 'ana', reason: 'CHG-1' };
const ASKED = { forRow: () => ANA, now: ANA };

function outboxOf({ state, actions }: FleetTransition, before = EMPTY_OUTBOX): FleetOutbox {
  return withActions(before, { state, actions }, ASKED);
}

/** Takes the starts that were decided, and tells the rule what is answered at once. */
function take(fleet: GivenFleet, outbox: FleetOutbox): readonly number[] {
  const { taken, answers } = takeStarts(outbox, fleet.state, 32);
  for (const answer of answers) fleet.tell({ ...answer, atMs: fleet.atMs });
  return taken.map(({ row }) => row);
}

const WINDOW = { opensAtMs: 0, closesAtMs: HOUR, closedBy: 'window' } as const;
const scheduled = { waves: [{ ...WAVE, scheduled: true }], rows: rowPlans({}) };

describe('a start that was decided and not begun for long', () => {
  it('does not begin outside of its window', () => {
    const fleet = new GivenFleet(scheduled).openings(0, WINDOW);
    const outbox = outboxOf(fleet);
    expect(takeStarts(outbox, fleet.state, 32).taken).toHaveLength(1);
    fleet.command({ verb: 'pause' });
    fleet.tick(4 * HOUR).command({ verb: 'resume' });
    expect(take(fleet, outbox)).toEqual([]);
    expect([fleet.row(0).phase, fleet.waits(0)]).toEqual(['waiting', 'window']);
  });

  it('does not begin after the deadline', () => {
    const fleet = new GivenFleet({}, { inFlight: 1, deadlineMs: HOUR });
    const outbox = outboxOf(fleet);
    expect(take(fleet.tick(2 * HOUR), outbox)).toEqual([]);
    expect(fleet.waits(0)).toBe('deadline');
  });

  it('does not begin in a group that failures hold by now', () => {
    const groups = ['region=r5'];
    const all = rowPlans({ groups }, { groups }, { groups }, { groups });
    const fleet = new GivenFleet({ rows: all }, { inFlight: 4 });
    const outbox = outboxOf(fleet);
    for (const row of [0, 1, 2]) fleet.report(row, SOAKING).report(row, FAILED);
    expect(take(fleet, outbox)).toEqual([]);
    expect([fleet.row(3).phase, fleet.waits(3)]).toEqual(['waiting', 'group']);
  });

  it('of the last pass, or that a person asked for before it, begins', () => {
    const done = { provenPercent: 50, withinMs: HOUR };
    const waves = [
      { ...WAVE, done },
      { ...WAVE, name: 'last' },
    ];
    const fleet = new GivenFleet({ waves, rows: rowPlans({}, {}, { wave: 1 }) });
    fleet
      .answerStart(1, 'busy')
      .prove(0)
      .tick(2 * MINUTE);
    expect(fleet.waits(1)).toBe('lastPass');
    fleet.command({ verb: 'skip' }, rows(1));
    fleet.command({ verb: 'retry', only: { kind: 'skipped' } }, rows(1));
    const outbox = outboxOf(fleet);
    expect(takeStarts(outbox, fleet.state, 32).taken).toMatchObject([{ row: 1 }]);
    fleet.command({ verb: 'pause' });
    expect(take(fleet, outbox)).toEqual([]);
    fleet.command({ verb: 'resume' });
    expect(fleet.acted('start')).toContain(1);
  });

  it('and is to stop by the time it is kept back has stopped', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) });
    const outbox = outboxOf(fleet);
    fleet.command({ verb: 'pause' });
    const { answers } = takeStarts(outbox, fleet.state, 32);
    fleet.command({ verb: 'stop' });
    for (const answer of answers) fleet.tell({ ...answer, atMs: fleet.atMs });
    expect(fleet.row(0)).toMatchObject({ phase: 'stopped', cause: 'stop' });
  });

  it('of a changed cluster that is rolled back meanwhile is replaced by its rollback', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) }).report(0, SOAKING).report(0, FAILED);
    fleet.command({ verb: 'retry', only: { kind: 'failed' } });
    const outbox = outboxOf(fleet);
    fleet.command({ verb: 'rollBack' });
    expect(take(fleet, outbox)).toEqual([]);
    expect(fleet.actions).toEqual([{ kind: 'start', row: 0, grant: 3, target: 'kcm' }]);
  });
});

describe('a rollback of a cluster whose start comes to nothing', () => {
  const turned = (): GivenFleet => {
    const fleet = new GivenFleet({ rows: rowPlans({}) });
    fleet.command({ verb: 'rollBack' });
    return fleet;
  };
  const untouched = { phase: 'skipped', cause: 'rollback', rollbackQueued: false };

  it('leaves it out: another fleet may migrate it later', () => {
    const fleet = turned().answerStart(0, 'busy');
    expect(fleet.row(0)).toMatchObject(untouched);
    expect(fleet.tick(HOUR).actions).toEqual([]);
  });

  it.each([
    [false, untouched],
    [true, { phase: 'failed', rollbackQueued: true }],
  ])('leaves it out where its run found another one; it had changed it: %s', (changed, left) => {
    const fleet = turned().report(0, { ...REFUSED, outcome: 'busy', changed });
    expect(fleet.row(0)).toMatchObject(left);
  });

  it('leaves it out where its start was kept back', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) });
    const outbox = outboxOf(fleet);
    fleet.command({ verb: 'rollBack' });
    expect(take(fleet, outbox)).toEqual([]);
    expect(fleet.row(0)).toMatchObject(untouched);
  });

  it('is tried later where a run of it had stopped half-way', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}, {}) }).report(0, STOPPED);
    fleet.command({ verb: 'retry', only: { kind: 'all' } }, rows(0));
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.answerStart(0, 'busy').row(0)).toMatchObject({
      ...{ phase: 'failed', rollbackQueued: true },
    });
  });
});

describe('a rollback that is asked for after a start has failed', () => {
  const failing = { unreachable: 'fail', busy: 'fail', drifted: 'fail' } as const;
  const leftOut = { phase: 'skipped', cause: 'rollback', rollbackQueued: false };

  it.each(['unreachable', 'busy', 'drifted'] as const)(
    'leaves out what was %s, alone and with others: it never began',
    (answer) => {
      for (const scope of [rows(0), { kind: 'fleet' } as const]) {
        const fleet = new GivenFleet({ rows: rowPlans({}) }, failing).answerStart(0, answer);
        expect(fleet.row(0).phase).toBe('failed');
        expect(fleet.command({ verb: 'rollBack' }, scope).detail).toContain('left out');
        expect(fleet.row(0)).toMatchObject(leftOut);
        expect([fleet.actions, fleet.tick(HOUR).actions]).toEqual([[], []]);
      }
    },
  );

  it('leaves out what was stopped before its start was answered', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) });
    fleet.command({ verb: 'stop' }, rows(0));
    expect(fleet.answerStart(0, 'refused').row(0).phase).toBe('stopped');
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.row(0)).toMatchObject(leftOut);
  });

  it('goes back from where a run of it had stopped half-way, though it waits to be tried again', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) }, failing).report(0, STOPPED);
    fleet.command({ verb: 'retry', only: { kind: 'all' } });
    expect(fleet.answerStart(0, 'queued').row(0).phase).toBe('waiting');
    expect(fleet.command({ verb: 'rollBack' }, rows(0)).detail).toBe('turning');
    expect(fleet.acted('start')).toEqual([0]);
    const failed = new GivenFleet({ rows: rowPlans({}) }, failing).report(0, STOPPED);
    failed.command({ verb: 'retry', only: { kind: 'all' } });
    failed.answerStart(0, 'busy').command({ verb: 'rollBack' }, rows(0));
    expect(failed.acted('start')).toEqual([0]);
  });

  it('turns what has not reported yet: its run is open', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) });
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(fleet.acted('turn')).toEqual([0]);
  });
});

/** Limits that count what others do: a start has its place in them. */
const COUNTING = new Set(['cap', 'others', 'inFlight', 'unproven', 'budget', undefined]);

it('a start of any fleet begins only where it would be decided now, if it had no place yet', () => {
  let begun = 0;
  fc.assert(
    fc.property(fleets, (given) => {
      let outbox = EMPTY_OUTBOX;
      const run = new FleetRun(given, (_before, _event, next) => {
        outbox = outboxOf(next, outbox);
      });
      for (const chance of given.chances) {
        run.unstarted = new Set(outbox.starts.map(({ row }) => row));
        run.step(chance);
        if (chance.pick % 2 === 0) continue;
        const { taken, left, answers } = takeStarts(outbox, run.state, 2);
        outbox = { ...outbox, starts: left };
        const headroom = headroomOf(run.state);
        for (const { row: index, target } of taken) {
          for (const row of run.state.rows.slice(index, index + 1)) {
            const seen = startObstacle(run.state, headroom, { ...row, asked: true })?.kind;
            must(target === 'kcm' || COUNTING.has(seen), 'begins although it may not', seen);
          }
          begun += 1;
        }
        for (const answer of answers) run.tell({ ...answer, atMs: run.state.nowMs });
      }
    }),
    { numRuns: RUNS },
  );
  expect(begun).toBeGreaterThan(0);
});
