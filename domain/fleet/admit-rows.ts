import type { FleetAction, FleetTransition } from './fleet-events.js';
import { BACK } from './fleet-plan.js';
import { laneWide, queueLanes, type SlotQueue } from './queue-lanes.js';
import type { FleetState, Row } from './fleet-state.js';
import { lanesOf } from './row-index.js';
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

/** What keeps those back who ask for a slot, and how they get it. */
interface Queue extends SlotQueue {
  readonly obstacle: (state: FleetState, headroom: Headroom, row: Row) => WaitReason | null;
  /** No row can have a slot, whichever it is. */
  readonly isFull: (state: FleetState, headroom: Headroom) => boolean;
  readonly admit: (state: FleetState, row: Row) => FleetTransition;
}

/** Newest first. */
const ROLLBACKS: Queue = {
  name: 'rollbacks',
  asks: (row) => row.rollbackQueued,
  order: (a, b) => b.started - a.started || a.index - b.index,
  obstacle: rollbackObstacle,
  isFull: hasNoSlot,
  admit: rollBackNow,
};

const REGRANTS: Queue = {
  name: 'regrants',
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
  name: 'starts while ramping',
  asks: isWaiting,
  order: (a, b) => inTurn(a, b) || a.index - b.index,
  obstacle: startObstacle,
  isFull: startsNothing,
  admit: (state, row) => startRow(state, row, 'ccm'),
};

const LONGEST_FIRST: Queue = {
  ...WHILE_RAMPING,
  name: 'longest first',
  order: (a, b) => inTurn(a, b) || b.expectedMs - a.expectedMs || a.index - b.index,
};

/** The queue of those that have not started. */
export function startQueue(state: FleetState, headroom: Headroom): Queue {
  return isRamping(state, headroom) ? WHILE_RAMPING : LONGEST_FIRST;
}

/** Gives free slots away: to rollbacks, then to parked clusters, which are half-way, then to new ones. */
export function admit(state: FleetState): FleetTransition {
  const headroom = headroomOf(state);
  const actions: FleetAction[] = [];
  let current = { state, headroom };
  for (const queue of [ROLLBACKS, REGRANTS, startQueue(state, headroom)]) {
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
      headroom: afterAdmission(current.headroom, next.state),
    };
  }
  return { ...current, actions };
}

/** The first in order of those that nothing keeps back. */
function nextRow(state: FleetState, headroom: Headroom, queue: Queue): Row | null {
  if (queue.isFull(state, headroom)) return null;
  let found: Row | null = null;
  for (const lane of lanesOf(state.rows, queueLanes(state.policy, queue)).values()) {
    found = firstIn(lane, state, headroom, queue, found) ?? found;
  }
  return found;
}

/** The first in a lane that comes before the best of others; null where there is none. */
function firstIn(
  lane: readonly Row[],
  state: FleetState,
  headroom: Headroom,
  queue: Queue,
  best: Row | null,
): Row | null {
  for (const row of lane) {
    if (best !== null && queue.order(best, row) < 0) return null;
    if (queue.obstacle(state, headroom, row) === null) return row;
    if (row === lane[0] && queue.obstacle(state, headroom, laneWide(state.policy, row)) !== null)
      return null;
  }
  return null;
}

/** The open run turns; a run that has ended is followed by a new one. */
export function rollBackNow(state: FleetState, row: Row): FleetTransition {
  if (!hasEnded(row)) return turnRow(state, row, BACK, true);
  return startRow(state, { ...row, turnedByPerson: !awaitsRehearsal(row) }, BACK);
}
