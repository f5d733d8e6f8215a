import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { ClusterOutcome, ClusterStatus } from '../../workflows/messages.js';
import { outcomeOfFailure, statusQuery } from '../../workflows/messages.js';
import type { Asked, Silence } from './ask-run.js';
import { askRun } from './ask-run.js';
import { contactOf, type Contact } from './contact.js';
import { CLUSTER } from './find-run.js';

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
  /** Its name; the workflow's id where none is known. */
  readonly cluster: string;
  readonly actor: string;
  readonly reason: string;
  /** Files that it was started from, on the machine where it was; empty where that is not known. */
  readonly files: readonly string[];
  /** Null when no worker answered: the run then stands still. */
  readonly status: ClusterStatus | null;
  /** Why a running run did not answer; null when it did, or has ended. */
  readonly silence: Silence | null;
  /** How it reaches its cluster; null once it has ended. */
  readonly contact: Contact | null;
  /** Once it has ended by itself. */
  readonly outcome: ClusterOutcome | null;
}

/** Looks once. A query that no worker answers within its time is `status: null` and a reason, never an error. */
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
  const asked =
    execution === 'running' ? await askStatus(client, workflowId, description.runId) : null;
  return {
    workflowId,
    runId: description.runId,
    execution,
    startedAtMs: description.startTime.getTime(),
    closedAtMs: description.closeTime?.getTime() ?? null,
    historyEvents: description.historyLength,
    historyBytes: description.historySize ?? null,
    cluster: description.typedSearchAttributes.get(CLUSTER) ?? workflowId,
    ...fromMemo(description.memo),
    ...(asked === null ? ENDED : statusOrSilence(asked)),
    contact:
      execution === 'running'
        ? await contactOf(description, client.options.loadedDataConverter)
        : null,
    outcome,
  };
}

const ENDED = { status: null, silence: null } as const;

function statusOrSilence(asked: Asked<ClusterStatus>): Pick<RunView, 'status' | 'silence'> {
  return asked.kind === 'answered'
    ? { status: asked.value, silence: null }
    : { status: null, silence: asked.silence };
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

/** What the run says of itself. A run that has ended is asked too: a worker replays it. */
export function askStatus(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<Asked<ClusterStatus>> {
  const question = { workflowId, runId, query: statusQuery, args: [] as [] };
  return askRun(client, { ...question, withinMs: ANSWER_WITHIN_MS });
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

function fromMemo(
  memo: Record<string, unknown> | undefined,
): Pick<RunView, 'actor' | 'reason' | 'files'> {
  const text = (name: string): string => {
    const value = memo?.[name];
    return typeof value === 'string' ? value : '';
  };
  const files: unknown = memo?.['files'];
  return {
    actor: text('actor'),
    reason: text('reason'),
    files: Array.isArray(files) ? files.filter((each) => typeof each === 'string') : [],
  };
}
