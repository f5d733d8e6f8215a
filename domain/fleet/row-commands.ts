import { onRows, orderRefused, rowsIn, type OrderResult } from './order-result.js';
import type { FleetCommand, RetryFilter } from './fleet-command.js';
import type { FleetTransition } from './fleet-events.js';
import { BACK, FORWARD } from './fleet-plan.js';
import { rollBackNow } from './admit-rows.js';
import type { BrakeScope, FleetState, Row } from './fleet-state.js';
import {
  changed,
  ended,
  goingForward,
  hasEnded,
  isMoving,
  neverBegan,
  isUnproven,
  requeued,
  turnRow,
  unchanged,
  wasChanged,
} from './fleet-rows.js';
import { brakesOfPeople, covers } from './wait-reasons.js';

/** Leaves clusters out that have not started. */
export function skipRows(state: FleetState, { scope }: FleetCommand): OrderResult {
  return onRows(
    state,
    rowsIn(state, scope),
    (current, row) =>
      row.phase === 'waiting' && !wasChanged(row)
        ? changed(current, ended(current, row, { phase: 'skipped', cause: 'person' }))
        : null,
    'skipped',
  );
}

export function retryRows(
  state: FleetState,
  { scope }: FleetCommand,
  only: RetryFilter,
): OrderResult {
  const meant = rowsIn(state, scope).filter((row) => isMeant(row, only));
  return onRows(state, meant, retryRow, 'tried again when there is a slot');
}

function isMeant(row: Row, only: RetryFilter): boolean {
  switch (only.kind) {
    case 'all':
      return row.phase !== 'skipped';
    case 'failed':
    case 'skipped':
      return row.phase === only.kind;
    case 'signature':
      return row.signature === only.signature;
  }
}

function retryRow(state: FleetState, row: Row): FleetTransition | null {
  const { phase } = row;
  if (phase === 'parked' && !row.stopping) return changed(state, { ...row, asked: true });
  if (phase === 'waiting' && row.notBeforeMs > state.nowMs) {
    return changed(state, { ...row, notBeforeMs: state.nowMs });
  }
  if (phase === 'failed' || phase === 'stopped') return changed(state, again(state, row));
  return phase === 'skipped' ? changed(state, forwardAgain(state, row)) : null;
}

/** A rollback that failed is tried again as a rollback. */
function again(state: FleetState, row: Row): Row {
  return row.target === BACK
    ? { ...row, rollbackQueued: true, notBeforeMs: state.nowMs }
    : forwardAgain(state, row);
}

function forwardAgain(state: FleetState, row: Row): Row {
  const toward = {
    ...{ target: FORWARD, turnedByPerson: false, rollbackQueued: false },
    ...goingForward(row),
  };
  return requeued(state, row, { ...toward, asked: true, cause: 'none', notBeforeMs: state.nowMs });
}

/** Open runs end at their next safe point, and what waits does not start. For the whole fleet this is the end. */
export function stopRows(state: FleetState, { scope }: FleetCommand): OrderResult {
  const stopped = scope.kind === 'fleet' ? { ...state, stopped: true } : state;
  const done = onRows(stopped, rowsIn(state, scope), stopRow, 'stop at the next safe point');
  if (scope.kind !== 'fleet') return done;
  return {
    ...done,
    state: { ...done.state, stopped: true },
    answer: { ...done.answer, state: 'applied' },
  };
}

function stopRow(state: FleetState, row: Row): FleetTransition | null {
  if (row.phase === 'waiting') {
    const phase = wasChanged(row) ? 'stopped' : 'skipped';
    return changed(state, ended(state, row, { phase, cause: 'stop' }));
  }
  if (hasEnded(row)) {
    return row.rollbackQueued ? changed(state, { ...row, rollbackQueued: false }) : null;
  }
  if (row.stopping) return null;
  const stopping: Row = { ...row, stopping: true, rollbackQueued: false };
  return changed(state, stopping, [{ kind: 'withdraw', row: row.index, grant: row.grant }]);
}

/** One cluster turns at once, even above the limits; several go newest first within them. */
export function rollBackRows(state: FleetState, { scope }: FleetCommand): OrderResult {
  const rows = rowsIn(state, scope);
  const single = scope.kind === 'rows' && scope.rows.length === 1;
  const turned: Row[] = [];
  const done = onRows(
    state,
    rows,
    (current, row) => {
      if (!canRollBack(row)) return null;
      turned.push(row);
      return rollBackRow(current, row, single);
    },
    '',
  );
  if (done.answer.state === 'refused') return done;
  const after = turned.flatMap(({ index }) => done.state.rows.slice(index, index + 1));
  const going = after.filter(({ phase }) => phase !== 'skipped');
  const one = going.length === 0 ? 'left out: it has not started' : 'turning';
  const said = single ? one : `rolled back newest first${partsText(after)}`;
  return { ...done, answer: { ...done.answer, detail: `${said}${heldText(state, going)}` } };
}

/** `: 2 turn now, 3 in turn, 6 that have not started are left out`. */
function partsText(rows: readonly Row[]): string {
  const queued = rows.filter(({ rollbackQueued }) => rollbackQueued).length;
  const left = rows.filter(({ phase }) => phase === 'skipped').length;
  const now = rows.length - queued - left;
  const parts = [
    ...(now === 0 ? [] : [`${now} turn now`]),
    ...(queued === 0 ? [] : [`${queued} as there are slots`]),
    ...(left === 0 ? [] : [`${left} that have not started are left out`]),
  ];
  return `: ${parts.join(', ')}`;
}

/** A brake that people asked for holds a rollback, too: only they know whether it may go on. */
function heldText({ brakes, waves }: FleetState, rows: readonly Row[]): string {
  const found = brakesOfPeople(brakes).find(({ scope }) => rows.some((row) => covers(scope, row)));
  if (found === undefined) return '';
  const { kind, actor, reason, scope } = found;
  const [word, verb] = kind === 'pause' ? ['pause', 'resume'] : ['freeze', 'unfreeze'];
  return `; held by the ${word} of ${actor} (${reason}) until \`${verb}\` of ${partOf(scope, waves)}`;
}

function partOf(scope: BrakeScope, waves: FleetState['waves']): string {
  switch (scope.kind) {
    case 'fleet':
      return 'the fleet';
    case 'wave':
      return waves
        .flatMap(({ index, name }) => (index === scope.wave ? [`wave ${name}`] : []))
        .join('');
    case 'rows':
      return 'these clusters';
  }
}

function canRollBack(row: Row): boolean {
  // One that only rehearses would go forward again.
  const going =
    row.rehearsal !== 'back' && (row.rollbackQueued || (isMoving(row) && row.target === BACK));
  const nothing = row.phase === 'back' || row.phase === 'skipped';
  return !going && !nothing && !row.stopping && row.reversibility !== 'no';
}

function rollBackRow(state: FleetState, row: Row, single: boolean): FleetTransition {
  if (!isUnproven(row) && neverBegan(row)) {
    return changed(state, ended(state, row, { phase: 'skipped', cause: 'rollback' }));
  }
  if (row.rehearsal === 'back' && isMoving(row) && row.target === BACK) {
    return changed(state, { ...row, rehearsal: 'none', turnedByPerson: true });
  }
  const held: Row = {
    ...(row.phase === 'waiting' ? ended(state, row, { phase: 'failed' }) : row),
    rehearsal: 'none',
  };
  if (single || isMoving(row)) return rollBackNow(state, held);
  const queued = { rollbackQueued: true, turnedByPerson: true, notBeforeMs: state.nowMs };
  return changed(state, { ...held, ...queued });
}

/** Makes the CCM the target again. */
export function rollForwardRows(state: FleetState, { scope }: FleetCommand): OrderResult {
  return onRows(state, rowsIn(state, scope), rollForwardRow, 'target CCM');
}

function rollForwardRow(state: FleetState, row: Row): FleetTransition | null {
  if (row.stopping) return null;
  if (row.rollbackQueued && row.target === FORWARD) {
    return changed(state, {
      ...{ ...row, rollbackQueued: false, turnedByPerson: false },
      ...goingForward(row),
    });
  }
  if (row.phase === 'back' || (row.phase === 'skipped' && row.cause === 'rollback')) {
    return changed(state, forwardAgain(state, row));
  }
  if (row.target === FORWARD) return null;
  const forward: Row = { ...row, ...goingForward(row) };
  if (isMoving(row)) return turnRow(state, forward, FORWARD, false);
  return row.phase === 'parked'
    ? changed(state, { ...forward, target: FORWARD, turnedByPerson: false, asked: true })
    : changed(state, forwardAgain(state, row));
}

/** Nothing follows the stop of a fleet. */
export function afterStop(state: FleetState): OrderResult {
  return { ...orderRefused(state, 'the fleet is stopping'), ...unchanged(state) };
}
