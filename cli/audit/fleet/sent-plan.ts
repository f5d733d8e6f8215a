import { readEnvelope, type Envelope } from '../../../domain/authority/signed-envelope.js';
import { fieldsOf, readText } from '../../../domain/fleet/read-fields.js';
import { type FleetBegin, readGiven } from './fleet-begin.js';

/** A new plan as it was sent to an open fleet, as far as it can be read: anyone may have sent it. */
export interface SentPlan {
  readonly commandId: string;
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  /** Null where it is no plan. */
  readonly plan: Omit<
    FleetBegin,
    'fleet' | 'actor' | 'reason' | 'ticket' | 'authority' | 'settings'
  > | null;
  /** As its sender signed it; null where it is not signed. */
  readonly signed: Envelope | null;
  /** Root over the members of the fleet as it is afterwards. */
  readonly members: string;
}

export function readSentPlan(sent: unknown): SentPlan {
  const { commandId, actor, reason, ticket, given, signed } = fieldsOf(sent);
  const { statement, members } = fieldsOf(signed);
  return {
    commandId: readText(commandId) ?? '',
    actor: readText(actor) ?? '',
    reason: readText(reason) ?? '',
    ticket: readText(ticket) ?? '',
    plan: readGiven(given),
    signed: readEnvelope(statement),
    members: readText(members) ?? '',
  };
}
