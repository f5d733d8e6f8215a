import { readEnvelope, type Envelope } from '../../../domain/authority/signed-envelope.js';
import { fieldsOf, readText } from '../../../domain/fleet/read-fields.js';
import { type FleetPlanOnRecord, readGiven } from './fleet-begin.js';

/** A new plan as it was sent to an open fleet, as far as it can be read: anyone may have sent it. */
export interface SentPlan {
  readonly commandId: string;
  /** Null where it is no plan. */
  readonly plan: FleetPlanOnRecord | null;
  /** As its sender signed it; null where it is not signed. */
  readonly signed: Envelope | null;
}

export function readSentPlan(sent: unknown): SentPlan {
  const { commandId, given, signed } = fieldsOf(sent);
  return {
    commandId: readText(commandId) ?? '',
    plan: readGiven(given),
    signed: readEnvelope(fieldsOf(signed)['statement']),
  };
}
