import { type Envelope, readEnvelope } from '../authority/signed-envelope.js';
import type { OperatorVerb } from './operator-verbs.js';
import { isOperatorVerb, OPERATOR_VERBS, VERB_NAMES } from './operator-verbs.js';

/** An operator's command to a run. It is sent as a signal, so the server keeps it while no worker is running. */
export interface OperatorCommand {
  /** Chosen by the sender; the same id is applied once, however often it is sent. */
  readonly commandId: string;
  readonly verb: OperatorVerb;
  /** `code` for `skip` and `approve`: which finding or gate is meant. */
  readonly arguments: Readonly<Record<string, string>>;
  /** Claimed sender; an audit compares it with the server's principal. */
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  /** For orders of automation: when the alert began, in epoch ms. */
  readonly alertSinceMs?: number;
  /** The alert that this pause came from is over since then. It is noted on the pause with this `pauseId`; nothing resumes. */
  readonly alertOver?: { readonly since: string; readonly pauseId: string };
  /** The command as its sender signed it; absent where it is not signed. */
  readonly signed?: Envelope;
}

/** What a run that knows nothing of a command answers; it tells one that waits in its queue from one that never arrived. */
export const NOT_RECEIVED = 'not received yet';

/** The outcome of a command. `pending` until the run reaches a safe point. */
export interface CommandAnswer {
  readonly state: 'applied' | 'pending' | 'refused';
  readonly detail: string;
}

/** A command as sent, or its problem. Messages come from outside, so nothing about them is trusted. */
export function readCommand(
  value: unknown,
): { readonly kind: 'command'; readonly command: OperatorCommand } | Malformed {
  if (!isRecord(value)) return { kind: 'malformed', commandId: '', problem: 'it is not an object' };
  const commandId = text(value['commandId']);
  const verb = value['verb'];
  const actor = text(value['actor']);
  const reason = text(value['reason']);
  const malformed = (problem: string): Malformed => ({ kind: 'malformed', commandId, problem });
  if (commandId === '') return malformed('commandId is missing');
  if (!isOperatorVerb(verb)) return malformed(`verb must be one of ${VERB_NAMES.join(', ')}`);
  if (actor === '') return malformed('actor is missing');
  if (reason === '' && OPERATOR_VERBS[verb].needsReason) return malformed(`${verb} needs a reason`);
  const ticket = text(value['ticket']);
  const given = { commandId, verb, arguments: texts(value['arguments']), actor, reason, ticket };
  const signed = readEnvelope(value['signed']);
  const sealed = signed === null ? {} : { signed };
  return { kind: 'command', command: { ...given, ...readAlert(value), ...sealed } };
}

type AlertOfCommand = Pick<OperatorCommand, 'alertSinceMs' | 'alertOver'>;

/** What cannot be read is left out: an order of unknown age may only pause. */
function readAlert(value: Readonly<Record<string, unknown>>): AlertOfCommand {
  const { alertSinceMs, alertOver } = value;
  const over = isRecord(alertOver) ? alertOver : {};
  const [since, pauseId] = [text(over['since']), text(over['pauseId'])];
  return {
    ...(isTime(alertSinceMs) ? { alertSinceMs } : {}),
    ...(isRecord(alertOver) ? { alertOver: { since, pauseId } } : {}),
  };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

interface Malformed {
  readonly kind: 'malformed';
  readonly commandId: string;
  readonly problem: string;
}

/** Whether a value from outside is an object with members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      typeof member === 'string' ? [[key, member]] : [],
    ),
  );
}
