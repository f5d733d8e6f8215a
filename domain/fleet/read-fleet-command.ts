import { readEnvelope } from '../authority/signed-envelope.js';
import type {
  ApprovalSubject,
  FleetCommand,
  FleetOrder,
  FleetScope,
  RetryFilter,
} from './fleet-command.js';
import { fieldsOf, readCount, readEach, readOneOf, readText, whenAll } from './read-fields.js';

/** A command that could not be read. Without an id it has no answer. */
export interface UnreadableCommand {
  readonly kind: 'unreadable';
  readonly commandId: string;
  readonly actor: string;
  readonly problem: string;
}

/** A command as sent, or its problem: it was typed by a person, perhaps with another version. */
export function readFleetCommand(
  value: unknown,
): { readonly kind: 'command'; readonly command: FleetCommand } | UnreadableCommand {
  const given = fieldsOf(value);
  const read = {
    commandId: readText(given['commandId']),
    actor: readText(given['actor']),
    reason: readText(given['reason']),
    scope: readScope(given['scope']),
    order: readOrder(given['order']),
  };
  const command = whenAll(read);
  if (command !== null) {
    const fleetRun = readText(given['fleetRun']);
    // What cannot be read is left out: an order of unknown age may only pause.
    const alertSinceMs = readCount(given['alertSinceMs']);
    const age = alertSinceMs === null ? {} : { alertSinceMs };
    const signed = readEnvelope(given['signed']);
    const sealed = signed === null ? {} : { signed };
    return { kind: 'command', command: { ...command, fleetRun, ...age, ...sealed } };
  }
  const missing = Object.entries(read).filter(([, member]) => member === null);
  const problem = `this version cannot read its ${missing.map(([name]) => name).join(', ')}`;
  return { kind: 'unreadable', commandId: read.commandId ?? '', actor: read.actor ?? '', problem };
}

const SCOPES = ['fleet', 'wave', 'group', 'rows'] as const;

function readScope(value: unknown): FleetScope | null {
  const given = fieldsOf(value);
  const kind = readOneOf(SCOPES, given['kind']);
  switch (kind) {
    case null:
      return null;
    case 'fleet':
      return { kind };
    case 'wave':
      return whenAll({ kind, wave: readCount(given['wave']) });
    case 'group':
      return whenAll({ kind, group: readText(given['group']) });
    case 'rows':
      return whenAll({ kind, rows: readEach(given['rows'], readCount) });
  }
}

const PLAIN_VERBS = [
  ...(['pause', 'resume', 'freeze', 'unfreeze'] as const),
  ...(['skip', 'open', 'stop', 'rollBack', 'rollForward'] as const),
];
const VERBS = [...PLAIN_VERBS, 'approve', 'reject', 'retry', 'set', 'budget'] as const;

function readOrder(value: unknown): FleetOrder | null {
  const given = fieldsOf(value);
  const verb = readOneOf(VERBS, given['verb']);
  const subject = readSubject(given['subject']);
  switch (verb) {
    case null:
      return null;
    case 'approve':
      return readApproval(given, subject);
    case 'reject':
      return whenAll({ verb, subject });
    case 'retry':
      return whenAll({ verb, only: readFilter(given['only']) });
    case 'set':
      return readLimits(given);
    case 'budget':
      return whenAll({ verb, clusters: readCount(given['clusters']) });
    case 'pause':
    case 'resume':
    case 'freeze':
    case 'unfreeze':
    case 'skip':
    case 'open':
    case 'stop':
    case 'rollBack':
    case 'rollForward':
      return { verb };
  }
}

/** Limits that are there and cannot be read are a mistake: without them the approval would say less than was signed. */
function readApproval(
  given: Readonly<Record<string, unknown>>,
  subject: ApprovalSubject | null,
): FleetOrder | null {
  const planDigest = readText(given['planDigest']);
  const revision = readCount(given['revision']);
  const approval = whenAll({ verb: 'approve' as const, subject, planDigest, revision });
  if (approval === null || given['limits'] === undefined) return approval;
  const said = fieldsOf(given['limits']);
  const { inFlight, unproven } = said;
  const limits = whenAll({ inFlight: readCount(inFlight), unproven: readCount(unproven) });
  return limits === null ? null : { ...approval, limits };
}

/** Null is a limit that stays; anything else that is no number is a mistake. */
function readLimits(given: Readonly<Record<string, unknown>>): FleetOrder | null {
  const limits = ['inFlight', 'unproven'].map((name) => given[name]);
  const [inFlight, unproven] = [readCount(given['inFlight']), readCount(given['unproven'])];
  const isBad = limits.some((limit) => limit !== null && readCount(limit) === null);
  return isBad ? null : { verb: 'set', inFlight, unproven };
}

const SUBJECTS = ['before', 'after', 'limits'] as const;

function readSubject(value: unknown): ApprovalSubject | null {
  const given = fieldsOf(value);
  const kind = readOneOf(SUBJECTS, given['kind']);
  if (kind === null || kind === 'limits') return kind === null ? null : { kind };
  return whenAll({ kind, wave: readCount(given['wave']) });
}

const FILTERS = ['all', 'failed', 'skipped', 'signature'] as const;

function readFilter(value: unknown): RetryFilter | null {
  const given = fieldsOf(value);
  const kind = readOneOf(FILTERS, given['kind']);
  if (kind === null || kind !== 'signature') return kind === null ? null : { kind };
  return whenAll({ kind, signature: readText(given['signature']) });
}
