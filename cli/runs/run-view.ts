import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { ClusterOutcome, ClusterStatus } from '../../workflows/messages.js';
import { outcomeOfFailure, statusQuery } from '../../workflows/messages.js';

/** One look at a run from outside: what the server knows, and what the run itself says if a worker answers. */
export interface RunView {
  readonly workflowId: string;
  readonly runId: string;
  readonly execution: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timedOut';
  readonly startedAtMs: number;
  readonly closedAtMs: number | null;
  readonly historyEvents: number;
  /** As the server counts them; null where it does not. */
  readonly historyBytes: number | null;
  readonly actor: string;
  readonly reason: string;
  /** Null when no worker answered: the run then stands still. */
  readonly status: ClusterStatus | null;
  /** Once it has ended by itself. */
  readonly outcome: ClusterOutcome | null;
}

/** Looks once. A query that no worker answers within its time is `status: null`, never an error. */
export async function viewRun(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<RunView> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const description = await handle.describe();
  const execution = EXECUTIONS[description.status.name];
  const outcome =
    execution === 'completed' || execution === 'failed'
      ? await outcomeOf(client, workflowId, description.runId)
      : null;
  const status =
    execution === 'running' ? await askStatus(client, workflowId, description.runId) : null;
  return {
    workflowId,
    runId: description.runId,
    execution,
    startedAtMs: description.startTime.getTime(),
    closedAtMs: description.closeTime?.getTime() ?? null,
    historyEvents: description.historyLength,
    historyBytes: description.historySize ?? null,
    ...whoAndWhy(description.memo),
    status,
    outcome,
  };
}

/** A failed or refused run carries its outcome too, in the failure. */
async function outcomeOf(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<ClusterOutcome | null> {
  try {
    return await client.workflow.result<() => Promise<ClusterOutcome>>(workflowId, runId);
  } catch (error) {
    return outcomeOfFailure(error);
  }
}

const ANSWER_WITHIN_MS = 3_000;

/** What the run says of itself; null when no worker answers in time. */
export async function askStatus(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<ClusterStatus | null> {
  const handle = client.workflow.getHandle(workflowId, runId);
  try {
    return await client.connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      handle.query(statusQuery),
    );
  } catch {
    return null;
  }
}

const EXECUTIONS: Readonly<
  Record<WorkflowExecutionDescription['status']['name'], RunView['execution']>
> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timedOut',
  RUNNING: 'running',
  PAUSED: 'running',
  CONTINUED_AS_NEW: 'running',
  UNSPECIFIED: 'running',
  UNKNOWN: 'running',
};

function whoAndWhy(memo: Record<string, unknown> | undefined): Pick<RunView, 'actor' | 'reason'> {
  const text = (name: string): string => {
    const value = memo?.[name];
    return typeof value === 'string' ? value : '';
  };
  return { actor: text('actor'), reason: text('reason') };
}
