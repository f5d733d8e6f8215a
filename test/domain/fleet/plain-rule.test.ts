import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { admit, rollBackNow } from '../../../domain/fleet/admit-rows.js';
import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import type { FleetTransition } from '../../../domain/fleet/fleet-events.js';
import { changeEach, hasEnded, regrantRow, startRow } from '../../../domain/fleet/fleet-rows.js';
import type { FleetState, Row } from '../../../domain/fleet/fleet-state.js';
import { headroomOf, isRamping, type Headroom } from '../../../domain/fleet/headroom.js';
import { parksAtMs, nextTickMs } from '../../../domain/fleet/timed.js';
import { isFleetOver } from '../../../domain/fleet/waves.js';
import {
  regrantObstacle,
  rollbackObstacle,
  startObstacle,
} from '../../../domain/fleet/wait-reasons.js';
import { FleetRun, inSoak, moves } from './any-fleet.js';
import { fleets, RUNS } from './drawn-fleets.js';

/** Nothing is known of these rows. */
const forgotten = (state: FleetState): FleetState => ({ ...state, rows: [...state.rows] });

const countOf = ({ rows }: FleetState, has: (row: Row) => boolean): number =>
  rows.filter(has).length;

/** What admission counts, by looking at every row. */
function plainCounts(state: FleetState): Partial<Headroom> {
  const soaks = state.policy.budget.counts === 'untilProven';
  return {
    moving: countOf(state, moves),
    unproven: countOf(state, (row) => moves(row) || inSoak(row) || row.phase === 'parked'),
    burnt: countOf(state, ({ burntMs }) => burntMs !== null),
    atRisk: countOf(
      state,
      (row) =>
        row.burntMs === null &&
        (moves(row) || row.phase === 'parked' || (soaks && row.phase === 'soaking')),
    ),
    passed: countOf(state, ({ passedMs }) => passedMs !== null),
  };
}

/** Admission by sorting all who ask and asking each: what the lanes must come to, at any price. */
function plainAdmission(state: FleetState): FleetTransition {
  const { held, waves, ...counted } = headroomOf(state);
  const longest = isRamping(state, { ...counted, held, waves }) ? 0 : 1;
  const queues = [
    {
      rows: state.rows.filter((row) => row.rollbackQueued).sort((a, b) => b.started - a.started),
      obstacle: rollbackObstacle,
      give: rollBackNow,
    },
    {
      rows: state.rows
        .filter((row) => row.phase === 'parked' && !row.rollbackQueued)
        .sort((a, b) => a.sinceMs - b.sinceMs),
      obstacle: regrantObstacle,
      give: regrantRow,
    },
    {
      rows: state.rows
        .filter((row) => row.phase === 'waiting' && !row.rollbackQueued)
        .sort(
          (a, b) =>
            Number(a.lastPass) - Number(b.lastPass) ||
            a.requeues - b.requeues ||
            longest * (b.expectedMs - a.expectedMs),
        ),
      obstacle: startObstacle,
      give: (now: FleetState, row: Row) => startRow(now, row, 'ccm'),
    },
  ];
  return changeEach(queues, state, (before, { rows, obstacle, give }) =>
    changeEach(rows, before, (now, row) => {
      const headroom = { ...headroomOf(forgotten(now)), held, waves };
      return obstacle(now, headroom, row) === null ? give(now, row) : { state: now, actions: [] };
    }),
  );
}

/** The earliest time that lies ahead and that a row waits for. */
function plainRowTick(state: FleetState): number {
  const times = state.rows.flatMap((row) => [
    parksAtMs(state, row) ?? 0,
    row.phase === 'waiting' || row.rollbackQueued ? row.notBeforeMs : 0,
  ]);
  return Math.min(...times.filter((atMs) => atMs > state.nowMs));
}

/** As many more slots as make admission choose. */
function withMoreSlots(state: FleetState): FleetState {
  const { inFlight, unproven } = state.policy;
  const policy = { ...state.policy, inFlight: inFlight + 2, unproven: unproven + 3 };
  return { ...forgotten(state), policy };
}

describe('what is kept of the rows', () => {
  it('changes nothing that the rule decides: it is the same for rows of which nothing is known', () => {
    fc.assert(
      fc.property(fleets, (given) => {
        const run = new FleetRun(given, (before, event, { state, actions }) => {
          const again = advanceFleet(forgotten(before), event);
          expect(again.actions).toEqual(actions);
          expect(again.state).toEqual(state);
          expect(headroomOf(state)).toMatchObject(plainCounts(state));
          // What was kept of the former rows has moved on; those who still have them are not told of the new ones.
          expect(headroomOf(before)).toMatchObject(plainCounts(before));
          const tickMs = nextTickMs(state) ?? Infinity;
          expect(tickMs).toBe(nextTickMs(forgotten(state)) ?? Infinity);
          expect(tickMs).toBeLessThanOrEqual(plainRowTick(state));
          expect(isFleetOver(state)).toBe(
            isFleetOver(forgotten(state)) && state.rows.every(hasEnded),
          );
        });
        for (const chance of given.chances) run.step(chance);
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it('gives slots to the same clusters as asking all of them in order', () => {
    fc.assert(
      fc.property(fleets, (given) => {
        const run = new FleetRun(given, (_, __, { state }) => {
          const more = withMoreSlots(state);
          const plain = plainAdmission(more);
          expect(admit(more).actions).toEqual(plain.actions);
        });
        for (const chance of given.chances) run.step(chance);
      }),
      { numRuns: RUNS / 10 },
    );
  });
});
