import type { GivenCommand } from '../../domain/authority/authorise.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import { digestJson } from '../../domain/digest.js';
import { ADMITTED_UNASKED, admissionOf, judgeCommand } from '../authority/judge-command.js';
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
  const { order, scope, commandId, actor, signed, fleetRun } = command;
  const given = {
    // Which runs of the fleet a command may be for, the fleet decides: one that is opened again knows its former one.
    ...{ verb: order.verb, workflowId: fleetWorkflowId, runId: fleetRun ?? '', nonce: commandId },
    ...{ actor, subject: digestJson({ scope, order }) },
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
  if (authority === undefined) return ADMITTED_UNASKED;
  const access = await authority.policy();
  const start = allowedBy === null ? null : openEnvelope(access, allowedBy.start);
  const requester = start?.kind === 'signed' ? start.by.name : null;
  const arrived = { signed, given, requester, subject: { cluster: null, fleet } };
  return admissionOf(judgeCommand(access, arrived, clock.nowMs()));
}
