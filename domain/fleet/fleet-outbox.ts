import type { MemberMessage, MemberOrder } from '../run/membership.js';
import type { Requester } from '../run/who-asked.js';
import type { Target } from '../vocabulary.js';
import type { FleetAction, FleetEvent, FleetTransition, StartAnswer } from './fleet-events.js';
import { FORWARD } from './fleet-plan.js';
import type { FleetState, Row } from './fleet-state.js';
import type { RowRequest, SignedRequester } from './requests.js';
import { hasEnded, isUnproven } from './fleet-rows.js';
import { headroomOf } from './headroom.js';
import { beginObstacle } from './wait-reasons.js';

/** A run to be started, and who asked for its direction. */
export interface StartOrder extends SignedRequester {
  readonly row: number;
  readonly grant: number;
  readonly target: Target;
}

/** What the rule has decided and no run has been told yet, in its order. */
export interface FleetOutbox {
  readonly starts: readonly StartOrder[];
  readonly messages: readonly MemberMessage[];
}

export const EMPTY_OUTBOX: FleetOutbox = { starts: [], messages: [] };

/** Who asked: for a row's direction, and for the command that the actions come from. */
export interface AskedBy {
  readonly forRow: (row: number) => SignedRequester;
  readonly now: Requester;
}

export function withActions(
  outbox: FleetOutbox,
  { state, actions }: FleetTransition,
  asked: AskedBy,
): FleetOutbox {
  const starts = actions.flatMap((action) =>
    action.kind === 'start' ? [startOf(action, asked)] : [],
  );
  const messages = actions.flatMap((action) => messagesOf(state, action, asked));
  return {
    starts: [...outbox.starts, ...starts],
    messages: [...outbox.messages, ...messages],
  };
}

function startOf(
  { row, grant, target }: Extract<FleetAction, { kind: 'start' }>,
  { forRow }: AskedBy,
): StartOrder {
  return { row, grant, target, ...forRow(row) };
}

function messagesOf(
  { fleetRun, rows }: FleetState,
  action: FleetAction,
  asked: AskedBy,
): readonly MemberMessage[] {
  if (action.kind === 'start') return [];
  const meant = 'rows' in action ? action.rows : [action.row];
  return meant
    .flatMap((index) => rows.slice(index, index + 1))
    .map((row) => {
      const { index } = row;
      const grant = 'grant' in action ? action.grant : row.grant;
      return { fleetRun, row: index, grant, order: orderOf(action, row, asked) };
    });
}

function ordered({ signed, retry: _, ...by }: SignedRequester): Pick<SignedRequester, 'signed'> & {
  readonly by: Requester;
} {
  return signed === undefined ? { by } : { by, signed };
}

/** A slot that a person asked for is for another try. */
function granted(asked: SignedRequester): ReturnType<typeof ordered> & Pick<RowRequest, 'retry'> {
  const { retry } = asked;
  return retry === undefined ? ordered(asked) : { ...ordered(asked), retry };
}

function orderOf(
  action: Exclude<FleetAction, { kind: 'start' }>,
  { index, turnedByPerson }: Row,
  { forRow, now }: AskedBy,
): MemberOrder {
  switch (action.kind) {
    case 'park':
      return { kind: 'park' };
    case 'grant':
      return { kind: 'grant', target: action.target, ...granted(forRow(index)) };
    case 'turn': {
      const { kind, target } = action;
      return { kind, target, ...ordered(forRow(index)), byPerson: turnedByPerson };
    }
    case 'withdraw':
      return { kind: 'withdraw', by: now };
    case 'brake':
    case 'release':
      return { kind: action.kind, commandId: action.commandId, by: now };
  }
}

/** What may be sent now, and what stays. */
export interface Taken<Item> {
  readonly taken: readonly Item[];
  readonly left: readonly Item[];
}

/**
 * Starts that may begin. Those of a row that has moved on are void. One that a stop overtook never begins, and one forward that may not
 * begin any more, by a brake, its window, the deadline or a new plan, returns to those that wait: the rule is answered here.
 */
export function takeStarts(
  { starts }: FleetOutbox,
  state: FleetState,
  atMost: number,
): Taken<StartOrder> & { readonly answers: readonly StartAnswered[] } {
  const taken: StartOrder[] = [];
  const left: StartOrder[] = [];
  const answers: StartAnswered[] = [];
  const isLate = lateIn(state, starts);
  for (const start of starts) {
    const row = state.rows[start.row];
    if (row === undefined || row.grant !== start.grant || hasEnded(row)) continue;
    if (row.stopping) answers.push(answered(start, 'refused'));
    else if (isLate(start, row)) answers.push(answered(start, 'keptBack'));
    else if (taken.length < atMost) taken.push(start);
    else left.push(start);
  }
  return { taken, left, answers };
}

type StartAnswered = Omit<Extract<FleetEvent, { kind: 'startAnswered' }>, 'atMs'>;

function answered({ row, grant }: StartOrder, answer: StartAnswer): StartAnswered {
  return { kind: 'startAnswered', row, grant, answer, signature: '' };
}

/** Whether a start must not begin any more. One back is delayed by nothing; one forward of a row that goes back by now is useless. */
function lateIn(
  state: FleetState,
  starts: readonly StartOrder[],
): (start: StartOrder, row: Row) => boolean {
  if (starts.length === 0) return () => false;
  const headroom = headroomOf(state);
  return ({ target }, row) =>
    target === FORWARD && (row.target !== FORWARD || beginObstacle(state, headroom, row) !== null);
}

/**
 * Messages that may be sent together: one for each row, so that its orders keep their order, and none to a row whose start is
 * still to be answered. What is for a run that has ended or never began is void, and so is a park that its run no longer needs.
 */
export function takeMessages(
  { messages, starts }: FleetOutbox,
  state: FleetState,
  atMost: number,
  blockedRows: readonly number[],
): Taken<MemberMessage> {
  const blocked = new Set([...blockedRows, ...starts.map(({ row }) => row)]);
  const taken: MemberMessage[] = [];
  const left: MemberMessage[] = [];
  for (const message of messages) {
    const row = state.rows[message.row];
    if (row === undefined || !isUnproven(row) || isOvertaken(message, row)) continue;
    if (blocked.has(message.row) || taken.length >= atMost) left.push(message);
    else taken.push(message);
    blocked.add(message.row);
  }
  return { taken, left };
}

/** The run went on before it was told: a soak, or a row that has its slot again, must not give one back. */
function isOvertaken({ order }: MemberMessage, { phase }: Row): boolean {
  return order.kind === 'park' && phase !== 'parking' && phase !== 'parked';
}
