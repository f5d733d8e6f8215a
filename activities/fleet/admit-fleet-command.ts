import { type GivenCommand, authoriseCommand, untimely } from '../../domain/authority/authorise.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import { digestJson } from '../../domain/digest.js';
import { openEnvelope } from '../authority/signed-statement.js';
import type { Admission } from '../contract.js';
import type { AdmitFleetInput, AdmitRevisionInput } from '../fleet-contract.js';
import type { FleetDependencies } from './fleet-dependencies.js';
import type { FleetFacts } from './fleet-facts.js';

/** Whether a command to a fleet may be applied, as `admitCommand` is for a run. Its members check again what turns them. */
export function admitFleetCommand(
  own: FleetDependencies,
  facts: FleetFacts,
  { command, fleetWorkflowId }: AdmitFleetInput,
): Promise<Admission> {
  const { order, scope, commandId, signed, fleetRun } = command;
  const given = {
    // Which runs of the fleet a command may be for, the fleet decides: one that is opened again knows its former one.
    ...{ verb: order.verb, workflowId: fleetWorkflowId, runId: fleetRun ?? '', nonce: commandId },
    subject: digestJson({ scope, order }),
  };
  return admitted(own, facts, signed, given);
}

/** Whether a new plan may be taken. Its members check again that it covers them. */
export function admitFleetRevision(
  own: FleetDependencies,
  facts: FleetFacts,
  { commandId, planDigest, signed, fleetWorkflowId, fleetRun }: AdmitRevisionInput,
): Promise<Admission> {
  const given: GivenCommand = {
    ...{ verb: 'revise', workflowId: fleetWorkflowId, runId: fleetRun, nonce: commandId },
    ...{ subject: signed?.members ?? '', plan: planDigest },
  };
  return admitted(own, facts, signed?.statement, given);
}

async function admitted(
  { authority, clock }: FleetDependencies,
  { fleet, authority: allowedBy }: FleetFacts,
  signed: Envelope | undefined,
  given: GivenCommand,
): Promise<Admission> {
  const refused = (why: string): Admission => ({ kind: 'refused', why });
  if (authority === undefined) return { kind: 'admitted', principal: '', note: '' };
  const access = await authority.policy();
  if (signed === undefined) return refused('the command is not signed');
  const opened = openEnvelope(access, signed);
  if (opened.kind === 'refused') return refused(opened.why);
  const late = untimely(access, opened.statement, clock.nowMs());
  if (late !== null) return refused(late);
  const start = allowedBy === null ? null : openEnvelope(access, allowedBy.start);
  const allowed = authoriseCommand(opened, given, {
    subject: { cluster: null, fleet },
    requester: start?.kind === 'signed' ? start.by.name : null,
  });
  if (allowed.kind === 'refused') return refused(allowed.why);
  const { principal, role } = allowed;
  const note = role === 'breakGlass' ? `break-glass: ${principal}` : '';
  return { kind: 'admitted', principal, note };
}
