import { workflowInfo } from '@temporalio/workflow';
import type { RunContext } from '../activities/contract.js';
import { effectivePolicy } from '../domain/advance/effective-policy.js';
import type { RunState } from '../domain/advance/run-state.js';
import type { ClusterMigrationInput } from './cluster-run.js';

/** What every activity is given. The policy holds the waivers that are good for the last look, and no others. */
export function runContext(input: ClusterMigrationInput, state: RunState): RunContext {
  const { workflowId, runId } = workflowInfo();
  const policy =
    state.look === null ? state.policy : effectivePolicy(state, state.look.observation);
  return {
    cluster: input.cluster,
    workflowId,
    runId,
    actor: state.mandate.actor,
    reason: state.mandate.reason,
    planDigest: input.planDigest,
    policy,
    timings: input.timings,
  };
}

/** Names one request for the fence: repeated, it gets the same epoch; the next one gets the next. */
export function fenceNonce(fences: number): string {
  return `${workflowInfo().runId}/${String(fences)}`;
}
