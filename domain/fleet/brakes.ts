import { isAutomation } from '../run/automation.js';
import { orderApplied, orderRefused, rowsIn, type OrderResult } from './order-result.js';
import type { FleetCommand, FleetScope } from './fleet-command.js';
import type { FleetAction } from './fleet-events.js';
import type { Brake, BrakeScope, FleetState, Row } from './fleet-state.js';
import { isUnproven } from './fleet-rows.js';
import { covers } from './wait-reasons.js';

/**
 * Stops admission at once; members pause at their next safe point. The first brake of a scope is kept, whose person is asked, unless
 * it is an alert's and holds less.
 */
export function brake(state: FleetState, command: FleetCommand, kind: Brake['kind']): OrderResult {
  const { commandId, actor, reason } = command;
  const scope = brakeScope(state, command.scope);
  const same = state.brakes.find(
    (each) => each.kind === kind && isSame(each.scope, scope) && holdsAsMuch(each, actor),
  );
  const rows = openRows(state, scope);
  const counts = { applied: rowsIn(state, command.scope).length, refused: 0 };
  if (same !== undefined) {
    // Its runs are told again, so that the answer says whether all of them know.
    const again: FleetAction = { kind: 'brake', commandId: same.commandId, rows };
    const word = kind === 'pause' ? 'paused' : 'frozen';
    const already = `it is ${word} already, by ${same.actor}: ${same.reason}`;
    return orderApplied({ state, actions: [again] }, counts, already);
  }
  const brakes = [...state.brakes, { commandId, kind, actor, reason, scope }];
  return orderApplied(
    { state: { ...state, brakes }, actions: [{ kind: 'brake', commandId, rows }] },
    counts,
    `open runs that pause at a safe point: ${rows.length}; nothing starts`,
  );
}

/** A person's brake holds rollbacks, too, and is put beside that of an alert. */
function holdsAsMuch(before: Brake, actor: string): boolean {
  return isAutomation(actor) || !isAutomation(before.actor);
}

function brakeScope(state: FleetState, scope: FleetScope): BrakeScope {
  return scope.kind === 'group'
    ? { kind: 'rows', rows: rowsIn(state, scope).map(({ index }) => index) }
    : scope;
}

function isSame(a: BrakeScope, b: BrakeScope): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function openRows(state: FleetState, scope: BrakeScope): readonly number[] {
  return indexes(state.rows.filter((row) => isUnproven(row) && covers(scope, row)));
}

function indexes(rows: readonly Row[]): readonly number[] {
  return rows.map(({ index }) => index);
}

/** Releases the brakes of exactly this scope; of a brake on single rows, those that are meant. */
export function release(
  state: FleetState,
  command: FleetCommand,
  kind: Brake['kind'],
): OrderResult {
  const scope = brakeScope(state, command.scope);
  const remaining = state.brakes.flatMap((each) =>
    each.kind === kind ? without(each, scope) : [each],
  );
  const eased = kind === 'pause' ? withJudgement(state, command.scope) : state;
  const next: FleetState = { ...eased, brakes: remaining };
  const actions = state.brakes.flatMap((each) => releaseOf(state, each, remaining));
  const untouched = JSON.stringify(remaining) === JSON.stringify(state.brakes);
  if (untouched && eased === state) return orderRefused(state, `nothing here is held by ${kind}`);
  const counts = { applied: rowsIn(state, command.scope).length, refused: 0 };
  return orderApplied({ state: next, actions }, counts, 'released');
}

function without(brakeInForce: Brake, released: BrakeScope): readonly Brake[] {
  const { scope } = brakeInForce;
  if (isSame(scope, released)) return [];
  if (scope.kind !== 'rows' || released.kind !== 'rows') return [brakeInForce];
  const rows = scope.rows.filter((row) => !released.rows.includes(row));
  return rows.length === 0 ? [] : [{ ...brakeInForce, scope: { kind: 'rows', rows } }];
}

function releaseOf(
  state: FleetState,
  { commandId, scope }: Brake,
  remaining: readonly Brake[],
): readonly FleetAction[] {
  const still = remaining.find((each) => each.commandId === commandId);
  const rows = state.rows.filter(
    (row) =>
      isUnproven(row) && covers(scope, row) && !(still !== undefined && covers(still.scope, row)),
  );
  return rows.length === 0 ? [] : [{ kind: 'release', commandId, rows: indexes(rows) }];
}

/** Who resumes a group, or a fleet past its deadline, has judged what stopped it. */
function withJudgement(state: FleetState, scope: FleetScope): FleetState {
  const group = scope.kind === 'group' ? scope.group : '*';
  if (scope.kind === 'wave' || scope.kind === 'rows') return state;
  const { deadlineMs } = state.policy;
  const isPast = scope.kind === 'fleet' && deadlineMs !== null && state.nowMs >= deadlineMs;
  const eased = isPast ? { ...state, policy: { ...state.policy, deadlineMs: null } } : state;
  if (!state.groupHolds.some((hold) => hold.group === group)) return eased;
  return {
    ...eased,
    groupHolds: state.groupHolds.filter((hold) => hold.group !== group),
    judgedMs: { ...state.judgedMs, [group]: state.nowMs },
  };
}
