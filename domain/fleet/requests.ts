import type { Requester } from '../run/who-asked.js';
import type { FleetCommand } from './fleet-command.js';
import type { FleetState } from './fleet-state.js';
import { rowsIn } from './order-result.js';

/** Rows whose next attempt or direction a person asked for, with who it was. */
export interface RowRequest {
  readonly by: Requester;
  readonly rows: readonly number[];
}

const ASKING: readonly FleetCommand['order']['verb'][] = ['retry', 'rollBack', 'rollForward'];

/**
 * Remembers who asked for the rows that a command changed: a start may follow hours later, and its run must name the person.
 * The last one counts.
 */
export function withRequest(
  requests: readonly RowRequest[],
  before: FleetState,
  after: FleetState,
  command: FleetCommand,
): readonly RowRequest[] {
  const { order, scope, actor, reason } = command;
  const isRepeated = Object.hasOwn(before.answers, command.commandId);
  if (isRepeated || !ASKING.includes(order.verb)) return requests;
  const rows = rowsIn(before, scope)
    .filter((row) => after.rows[row.index] !== row)
    .map(({ index }) => index);
  if (rows.length === 0) return requests;
  const others = requests
    .map((each) => ({ ...each, rows: each.rows.filter((row) => !rows.includes(row)) }))
    .filter((each) => each.rows.length > 0);
  return [...others, { by: { actor, reason }, rows }];
}

/** Who asked for a row; null for the fleet's own requester. */
export function requesterOf(requests: readonly RowRequest[], row: number): Requester | null {
  return requests.find(({ rows }) => rows.includes(row))?.by ?? null;
}
