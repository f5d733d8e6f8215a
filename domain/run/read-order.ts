import { type Envelope, readEnvelope } from '../authority/signed-envelope.js';
import type { Target } from '../vocabulary.js';
import type { MemberMessage, MemberOrder, Membership } from './membership.js';
import { isRecord } from './operator-command.js';
import type { Requester } from './who-asked.js';

/** An order of a fleet as sent; null when it is malformed. Messages come from outside, so nothing about them is trusted. */
export function readOrder(value: unknown): MemberMessage | null {
  if (!isRecord(value) || !isRecord(value['order'])) return null;
  const { fleetRun, row, grant } = value;
  const order = orderOf(value['order']);
  return isName(fleetRun) && isCount(row) && isCount(grant) && order !== null
    ? { fleetRun, row, grant, order }
    : null;
}

/** The row that a run is started with; null when it is malformed. */
export function readMembership(value: unknown): Membership | null {
  if (!isRecord(value)) return null;
  const { fleetWorkflowId, fleetRun, row, grant } = value;
  return isName(fleetWorkflowId) && isName(fleetRun) && isCount(row) && isCount(grant)
    ? { fleetWorkflowId, fleetRun, row, grant }
    : null;
}

function orderOf(sent: Readonly<Record<string, unknown>>): MemberOrder | null {
  const { kind, fleetWorkflowId } = sent;
  if (kind === 'park') return { kind };
  if (kind === 'adopt') return isName(fleetWorkflowId) ? { kind, fleetWorkflowId } : null;
  const by = requesterOf(sent['by']);
  return by === null ? null : orderBy(sent, by);
}

function orderBy(
  { kind, commandId, target, byPerson, signed, retry }: Readonly<Record<string, unknown>>,
  by: Requester,
): MemberOrder | null {
  switch (kind) {
    case 'grant':
      return isTarget(target)
        ? { kind, target, by, ...signedWith(signed), ...retriedWith(retry) }
        : null;
    case 'turn':
      return isTarget(target) && typeof byPerson === 'boolean'
        ? { kind, target, by, byPerson, ...signedWith(signed) }
        : null;
    case 'withdraw':
      return { kind, by };
    case 'brake':
    case 'release':
      return isName(commandId) ? { kind, commandId, by } : null;
    default:
      return null;
  }
}

function signedWith(value: unknown): { readonly signed?: Envelope } {
  const signed = readEnvelope(value);
  return signed === null ? {} : { signed };
}

function retriedWith(value: unknown): { readonly retry?: Envelope } {
  const retry = readEnvelope(value);
  return retry === null ? {} : { retry };
}

function requesterOf(value: unknown): Requester | null {
  if (!isRecord(value)) return null;
  const { actor, reason } = value;
  return isName(actor) && typeof reason === 'string' ? { actor, reason } : null;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isTarget(value: unknown): value is Target {
  return value === 'ccm' || value === 'kcm';
}
