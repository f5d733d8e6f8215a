import { workflowInfo } from '@temporalio/workflow';
import type { RunAuthority, RunContext } from '../activities/contract.js';
import type { RunState } from '../domain/run/run-state.js';
import type { DecisionRequest } from '../domain/decision/run-decision.js';
import type { ClusterMigrationInput } from './messages.js';

/**
 * Identifies a run in fence, evidence and commands: the first execution of its chain, so that it stays the same run after it
 * continued as new.
 */
export function runIdentity(): { readonly workflowId: string; readonly runId: string } {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  return { workflowId, runId: firstExecutionRunId };
}

/** What every activity is given. */
export function runContext(input: ClusterMigrationInput, state: RunState): RunContext {
  const { requestedBy, planDigest } = state.direction;
  return {
    cluster: input.cluster,
    ...runIdentity(),
    actor: requestedBy.actor,
    reason: requestedBy.reason,
    planDigest,
    policy: state.policy,
    timings: input.timings,
    ...(state.evidence === undefined ? {} : { evidence: state.evidence }),
    ...(input.authority === undefined
      ? {}
      : { authority: { ...input.authority, commands: commandsOf(input.authority, state) } }),
  };
}

/** What its direction rests on, and the word by which it was tried again. */
function commandsOf(
  { commands }: RunAuthority,
  { signed = commands, triedBy }: RunState,
): RunAuthority['commands'] {
  return triedBy === undefined ? signed : [triedBy, ...signed];
}

/** Decision input of an activity that observes. */
export function decisionRequest(state: RunState): DecisionRequest {
  const { target, waivers, approvals, revision, waivedGates } = state.direction;
  const { since, probes } = state.proofs;
  const request = {
    ...{ target, waivers, approvals, since, revision },
    ...(probes?.before === undefined ? {} : { probedBefore: probes.before }),
  };
  if (waivedGates === undefined) return request;
  return { ...request, waivedGates: waivedGates.map(({ gate, code }) => ({ gate, code })) };
}

/**
 * Identifies one fence request: a retry gets the same epoch, a new request the next one. It names this execution: one that the server
 * began by a reset counts its requests again, and must not get the epoch of the attempt that it replaces.
 */
export function fenceNonce(fences: number): string {
  return `${workflowInfo().runId}/${String(fences)}`;
}
