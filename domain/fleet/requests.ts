import type { Envelope } from '../authority/signed-envelope.js';
import type { Requester } from '../run/who-asked.js';
import type { FleetCommand } from './fleet-command.js';
import type { FleetState } from './fleet-state.js';
import { rowsIn } from './order-result.js';

/** Rows whose next attempt or direction a person asked for, with who it was. */
export interface RowRequest {
  readonly by: Requester;
  readonly rows: readonly number[];
  /** The command that turned them last, as it was signed; a retry keeps it. Absent where there is none. */
  readonly signed?: Envelope;
  /** The command that asked for another try last, as it was signed. */
  readonly retry?: Envelope;
}

/** Who asked, with the command that the direction rests on. */
export type SignedRequester = Requester & Pick<RowRequest, 'signed' | 'retry'>;

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
  const others = requests.map((each) => within(each, (row) => !rows.includes(row)));
  const by = { actor, reason };
  const asked = TURNS.includes(order.verb)
    ? [{ by, rows, ...(command.signed === undefined ? {} : { signed: command.signed }) }]
    : retried(requests, { by, rows, ...(command.signed && { retry: command.signed }) });
  return [...others, ...asked].filter((each) => each.rows.length > 0);
}

const TURNS: readonly FleetCommand['order']['verb'][] = ['rollBack', 'rollForward'];

/** Rows that are tried again go where they went. */
function retried(
  requests: readonly RowRequest[],
  { rows, ...word }: RowRequest,
): readonly RowRequest[] {
  const turned = requests
    .filter(({ signed }) => signed !== undefined)
    .map((each) => ({ ...within(each, (row) => rows.includes(row)), ...word }));
  const known = turned.flatMap((each) => each.rows);
  return [...turned, { ...word, rows: rows.filter((row) => !known.includes(row)) }];
}

function within(request: RowRequest, isIn: (row: number) => boolean): RowRequest {
  return { ...request, rows: request.rows.filter(isIn) };
}

/** Who asked for a row; null for the fleet's own requester. */
export function requesterOf(requests: readonly RowRequest[], row: number): SignedRequester | null {
  const found = requests.find(({ rows }) => rows.includes(row));
  if (found === undefined) return null;
  const { by, signed, retry } = found;
  return { ...by, ...(signed && { signed }), ...(retry && { retry }) };
}
