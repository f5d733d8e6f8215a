import type { FleetAction, FleetTransition } from './fleet-events.js';
import { BACK } from './fleet-plan.js';
import type { FleetState, Row } from './fleet-state.js';
import { afterAdmission, headroomOf, isRamping, type Headroom } from './headroom.js';
import { awaitsRehearsal, hasEnded, regrantRow, startRow, turnRow } from './fleet-rows.js';
import {
  hasNoSlot,
  regrantObstacle,
  rollbackObstacle,
  startObstacle,
  startsNothing,
  type WaitReason,
} from './wait-reasons.js';

/** Who asks for a slot, in which order, and how they get it. */
interface Queue {
  readonly asks: (row: Row) => boolean;
  readonly order: (a: Row, b: Row) => number;
  readonly obstacle: (state: FleetState, headroom: Headroom, row: Row) => WaitReason | null;
  /** No row can have a slot, whichever it is. */
  readonly isFull: (state: FleetState, headroom: Headroom) => boolean;
  readonly admit: (state: FleetState, row: Row) => FleetTransition;
}

/** Newest first. */
const ROLLBACKS: Queue = {
  asks: (row) => row.rollbackQueued,
  order: (a, b) => b.started - a.started,
  obstacle: rollbackObstacle,
  isFull: hasNoSlot,
  admit: rollBackNow,
};

const REGRANTS: Queue = {
  asks: (row) => row.phase === 'parked' && !row.rollbackQueued,
  order: (a, b) => a.sinceMs - b.sinceMs || a.index - b.index,
  obstacle: regrantObstacle,
  isFull: hasNoSlot,
  admit: regrantRow,
};

const isWaiting = (row: Row): boolean => row.phase === 'waiting' && !row.rollbackQueued;

/** Whatever returned to the queue is behind what has not started. */
const inTurn = (a: Row, b: Row): number =>
  Number(a.lastPass) - Number(b.lastPass) || a.requeues - b.requeues;

/** As long as it ramps, a slow cluster would hold a place that the next ones wait for. */
const WHILE_RAMPING: Queue = {
  asks: isWaiting,
  order: (a, b) => inTurn(a, b) || a.index - b.index,
  obstacle: startObstacle,
  isFull: startsNothing,
  admit: (state, row) => startRow(state, row, 'ccm'),
};

const LONGEST_FIRST: Queue = {
  ...WHILE_RAMPING,
  order: (a, b) => inTurn(a, b) || b.expectedMs - a.expectedMs || a.index - b.index,
};

/** Gives free slots away: to rollbacks, then to parked clusters, which are half-way, then to new ones. */
export function admit(state: FleetState): FleetTransition {
  const headroom = headroomOf(state);
  const starts = isRamping(state, headroom) ? WHILE_RAMPING : LONGEST_FIRST;
  const actions: FleetAction[] = [];
  let current = { state, headroom };
  for (const queue of [ROLLBACKS, REGRANTS, starts]) {
    const given = giveSlots(current.state, current.headroom, queue);
    current = given;
    actions.push(...given.actions);
  }
  return { state: current.state, actions };
}

function giveSlots(
  state: FleetState,
  headroom: Headroom,
  queue: Queue,
): FleetTransition & { readonly headroom: Headroom } {
  const actions: FleetAction[] = [];
  let current = { state, headroom };
  for (
    let row = nextRow(state, headroom, queue);
    row !== null;
    row = nextRow(current.state, current.headroom, queue)
  ) {
    const next = queue.admit(current.state, row);
    actions.push(...next.actions);
    current = {
      state: next.state,
      headroom: afterAdmission(current.headroom, row, current.state),
    };
  }
  return { ...current, actions };
}

/** The first in order of those that nothing keeps back. Almost always few rows are asked, so nothing is sorted. */
function nextRow(state: FleetState, headroom: Headroom, queue: Queue): Row | null {
  if (queue.isFull(state, headroom)) return null;
  let found: Row | null = null;
  for (const row of state.rows) {
    if (!queue.asks(row) || (found !== null && queue.order(found, row) <= 0)) continue;
    if (queue.obstacle(state, headroom, row) === null) found = row;
  }
  return found;
}

/** The open run turns; a run that has ended is followed by a new one. */
export function rollBackNow(state: FleetState, row: Row): FleetTransition {
  if (!hasEnded(row)) return turnRow(state, row, BACK, true);
  return startRow(state, { ...row, turnedByPerson: !awaitsRehearsal(row) }, BACK);
}
