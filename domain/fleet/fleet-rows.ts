import type { Target } from '../vocabulary.js';
import type { FleetAction, FleetTransition } from './fleet-events.js';
import { FORWARD } from './fleet-plan.js';
import type { FleetState, Row } from './fleet-state.js';
import { replaceRow } from './row-index.js';

/** Holds a slot of the in-flight limit. */
export function isMoving({ phase }: Row): boolean {
  return phase === 'active' || phase === 'stalled' || phase === 'parking';
}

/** Changed or about to be, and not proven yet. Its run is open. */
export function isUnproven(row: Row): boolean {
  return isFlying(row) || row.phase === 'soaking';
}

/** Under way to its target, with a slot or without one. */
export function isFlying(row: Row): boolean {
  return isMoving(row) || row.phase === 'parked';
}

export function hasEnded(row: Row): boolean {
  return row.phase !== 'waiting' && !isUnproven(row);
}

/** A canary that is proven, and waits for a slot to roll back in only to go forward again. */
export function awaitsRehearsal({ rollbackQueued, rehearsal }: Row): boolean {
  return rollbackQueued && rehearsal === 'back';
}

/** Someone else than the rehearsal makes it go forward, so that its next rollback is a real one. */
export function goingForward(row: Row): Pick<Row, 'rehearsal'> {
  return { rehearsal: row.rehearsal === 'none' ? 'none' : 'forward' };
}

/** Its cluster was changed by a run before the present one. */
export function wasChanged({ burntMs, passedMs }: Row): boolean {
  return burntMs !== null || passedMs !== null;
}

/**
 * No run of this fleet has ever reported its cluster, so that there is nothing to go back from: a rollback could find it after another
 * fleet has migrated it. A run that has changed a cluster has said how it goes back, also one that was stopped half-way.
 */
export function neverBegan(row: Row): boolean {
  return !wasChanged(row) && row.reversibility === 'unknown';
}

export function withRow(state: FleetState, row: Row): FleetState {
  return { ...state, rows: replaceRow(state.rows, row) };
}

/** The row in a phase that begins now. */
export function inPhase({ nowMs }: FleetState, row: Row, changes: Partial<Row>): Row {
  return { ...row, sinceMs: nowMs, ...changes };
}

/** What only matters while a run is open. */
const WITHOUT_RUN = { ready: false, asked: false, heals: false, stopping: false } as const;

export function ended(state: FleetState, row: Row, changes: Partial<Row>): Row {
  return inPhase(state, row, { ...WITHOUT_RUN, ...changes });
}

/** Back to the queue, behind all that return less often. */
export function requeued(state: FleetState, row: Row, changes: Partial<Row>): Row {
  return ended(state, row, { phase: 'waiting', requeues: row.requeues + 1, ...changes });
}

export function unchanged(state: FleetState): FleetTransition {
  return { state, actions: [] };
}

export function changed(
  state: FleetState,
  row: Row,
  actions: readonly FleetAction[] = [],
): FleetTransition {
  return { state: withRow(state, row), actions };
}

/** Applies a change to each row in turn and collects the actions. */
export function changeEach<Item>(
  items: readonly Item[],
  state: FleetState,
  change: (state: FleetState, item: Item) => FleetTransition,
): FleetTransition {
  const actions: FleetAction[] = [];
  let current = state;
  for (const item of items) {
    const next = change(current, item);
    current = next.state;
    actions.push(...next.actions);
  }
  return { state: current, actions };
}

/** A new run toward a target. It holds a slot from now on. */
export function startRow(state: FleetState, row: Row, target: Target): FleetTransition {
  const starts = state.starts + 1;
  const grant = row.grant + 1;
  const active = inPhase(state, row, {
    ...WITHOUT_RUN,
    ...{ phase: 'active', target, grant, sequence: 0, started: starts },
    changeFromMs: target === FORWARD ? state.nowMs : null,
    ...{ rollbackQueued: false, cause: 'none', signature: '' },
  });
  return changed({ ...state, starts }, active, [{ kind: 'start', row: row.index, grant, target }]);
}

/** The slot of a parked row is given again. */
export function regrantRow(state: FleetState, row: Row): FleetTransition {
  const grant = row.grant + 1;
  const active = inPhase(state, row, {
    ...WITHOUT_RUN,
    ...{ phase: 'active', grant, sequence: 0, cause: 'none', changeFromMs: null },
  });
  return changed(state, active, [{ kind: 'grant', row: row.index, grant, target: row.target }]);
}

/**
 * The open run changes its direction and has a slot. A report that crosses a park or a parked member's is of the former
 * grant; any other may still be the end of the run, so that its grant stays.
 */
export function turnRow(
  state: FleetState,
  row: Row,
  target: Target,
  byPerson: boolean,
): FleetTransition {
  const crosses = row.phase === 'parking' || row.phase === 'parked';
  const grant = crosses ? row.grant + 1 : row.grant;
  const active = inPhase(state, row, {
    ...WITHOUT_RUN,
    ...{ phase: 'active', target, grant, turnedByPerson: byPerson, rollbackQueued: false },
    sequence: crosses ? 0 : row.sequence,
    ...{ cause: 'none', changeFromMs: null },
  });
  return changed(state, active, [{ kind: 'turn', row: row.index, grant, target }]);
}

/** The slot is to be given back at the next safe point. */
export function parkRow(state: FleetState, row: Row, changes: Partial<Row>): FleetTransition {
  return changed(state, inPhase(state, row, { phase: 'parking', ...changes }), [
    { kind: 'park', row: row.index, grant: row.grant },
  ]);
}
