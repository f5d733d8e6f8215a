import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  CLUSTER_MIGRATION,
  clusterWorkflowId,
  guardTaskQueue,
  waitTaskQueue,
  stepTaskQueue,
  WORKFLOW_TASK_QUEUE,
} from '../../config/names.js';
import type { ClusterMigrationInput, ClusterOutcome } from '../../workflows/messages.js';
import { Refusal } from '../refusal.js';
import { typedCommand } from '../terminal/typed-command.js';
import { CLUSTER } from './find-run.js';

export type RunRequest = Omit<
  ClusterMigrationInput,
  'stepTaskQueue' | 'waitTaskQueue' | 'guardTaskQueue'
>;

/** Where a run is described for people: beside it, not in it. */
export interface RunNotes {
  /** The files that it was started from, for the commands that people are told to type. */
  readonly files: readonly string[];
}

/**
 * Starts a cluster's migration. The workflow id is the mutex: a second run for the same cluster is refused
 * with the one that has it.
 */
export async function startRun(
  client: Client,
  request: RunRequest,
  { files }: RunNotes = { files: [] },
): Promise<{ readonly workflowId: string; readonly runId: string }> {
  const workflowId = clusterWorkflowId(request.cluster.uid);
  const { actor, reason, ticket, fleet } = request;
  const input: ClusterMigrationInput = {
    ...request,
    stepTaskQueue: stepTaskQueue(request.region),
    waitTaskQueue: waitTaskQueue(request.region),
    guardTaskQueue: guardTaskQueue(request.region),
  };
  try {
    const handle = await client.workflow.start<
      (input: ClusterMigrationInput) => Promise<ClusterOutcome>
    >(CLUSTER_MIGRATION, {
      workflowId,
      taskQueue: WORKFLOW_TASK_QUEUE,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      memo: { actor, reason, ticket, fleet, files: [...files] },
      // So that a run is found by its cluster's name before a worker has taken it up.
      typedSearchAttributes: [{ key: CLUSTER, value: request.cluster.name }],
      staticSummary: `${request.cluster.name}, target ${request.target.toUpperCase()}`,
    });
    return { workflowId, runId: handle.firstExecutionRunId };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new Refusal('CCM4003', `${request.cluster.name}: a run is open already (${workflowId})`, {
      fix: `Follow it with \`${typedCommand(['status', request.cluster.name, '-w'])}\`, turn it around with rollback or rollforward, or stop it.`,
    });
  }
}
