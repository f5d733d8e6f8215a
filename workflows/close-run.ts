import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { CloseReport } from '../activities/contract.js';
import { hasStepped } from '../domain/run/resume-loop.js';
import type { RunOutcome } from '../domain/run/outcome.js';
import type { RunState } from '../domain/run/run-state.js';
import { closing } from './activity-proxies.js';
import type { ClusterMigrationInput, ClusterOutcome, GuardEnd } from './messages.js';
import type { Guard } from './guard-runner.js';
import { runContext, runIdentity } from './run-context.js';
import { runFailure } from './run-failure.js';

/** Ends a run whose guard has ended, so that a released fence is not renewed: evidence and fence. */
export async function closeRun(
  input: ClusterMigrationInput,
  state: RunState,
  outcome: RunOutcome,
  seen: GuardEnd,
): Promise<ClusterOutcome> {
  const closed = await letGo(input, state, outcome);
  const { runId } = workflowInfo();
  const identity = runIdentity();
  return {
    ...outcome,
    workflowId: identity.workflowId,
    runId: identity.runId,
    lastExecution: runId,
    cluster: input.cluster.name,
    epoch: state.fence.epoch,
    guard: seen.ownership,
    evidence: closed.report && {
      records: closed.report.evidenceRecords,
      head: closed.report.evidenceHead,
    },
    closing: closed.problem,
  };
}

/**
 * `failed` and `refused` fail the workflow too, with the whole outcome as details, so that it never appears as
 * completed.
 */
export function resultOf(outcome: ClusterOutcome): ClusterOutcome {
  if (outcome.failureType === null) return outcome;
  throw ApplicationFailure.create({
    type: outcome.failureType,
    message: `${outcome.summary}; ${outcome.clusterState}; next: ${outcome.nextCommand}`,
    nonRetryable: true,
    details: [outcome],
  });
}

/**
 * Whether a run may end as decided: one that changed something and reached its target must have been guarded to its
 * end.
 */
export function isVouched({ kind }: RunOutcome, state: RunState, guard: Guard): boolean {
  const reached = kind === 'done' || kind === 'rolledBack';
  return !reached || !hasStepped(state.done) || guard.hasReported();
}

interface LetGo {
  readonly report: CloseReport | null;
  readonly problem: string;
}

/** A fence that another run holds is not ours to release. */
async function letGo(
  input: ClusterMigrationInput,
  state: RunState,
  outcome: RunOutcome,
): Promise<LetGo> {
  if (state.fence.requests === 0 || outcome.failureType === 'AlreadyRunning') {
    return { report: null, problem: '' };
  }
  try {
    const report = await closing(input, `close: ${outcome.kind}`).closeRun({
      ...runContext(input, state),
      epoch: state.fence.epoch,
      outcome: outcome.kind,
    });
    return { report, problem: '' };
  } catch (error) {
    const failure = runFailure(error);
    if (failure === null) throw error;
    return { report: null, problem: `the fence may still be held: ${failure.message}` };
  }
}
