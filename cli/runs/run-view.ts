import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
} from '@temporalio/client';
import { type LoadedDataConverter, ValueError } from '@temporalio/common';
import {
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { GuardMemory } from '../../activities/contract.js';
import type { OwnershipFigures } from '../../domain/ownership/ownership-trace.js';
import { leaderIn, summarizeTrace } from '../../domain/ownership/ownership.js';
import { oneLine } from '../../domain/findings/plain-text.js';
import type { Owner } from '../../domain/vocabulary.js';
import type { ClusterOutcome, ClusterStatus } from '../../workflows/messages.js';
import { outcomeOfFailure, statusQuery } from '../../workflows/messages.js';
import type { Asked, Silence } from './ask-run.js';
import { askRun } from './ask-run.js';
import { CLUSTER_ATTRIBUTE } from './find-run.js';

/**
 * One observation of a run from outside: what the server knows, and what the run itself reports if a worker answers.
 */
export interface RunView {
  readonly workflowId: string;
  readonly runId: string;
  readonly execution: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timedOut';
  readonly startedAtMs: number;
  readonly closedAtMs: number | null;
  readonly historyEvents: number;
  /** As counted by the server; null where it does not count. */
  readonly historyBytes: number | null;
  /** Its name; the workflow id where none is known. */
  readonly cluster: string;
  readonly actor: string;
  readonly reason: string;
  /** Files that it was started from, on the machine that started it; empty where unknown. */
  readonly files: readonly string[];
  /** Null when no worker answered: the run then makes no progress. */
  readonly status: ClusterStatus | null;
  /** Why an open run did not answer; null when it did, or has ended. */
  readonly silence: Silence | null;
  /** How it reaches its cluster; null once it has ended. */
  readonly contact: Contact | null;
  /** Set once it has completed or failed. */
  readonly outcome: ClusterOutcome | null;
  /** Why the outcome of an ended run cannot be read here, such as a key that is missing; empty where it can, or there is none. */
  readonly outcomeUnread: string;
}

/** Reads once. A query without an answer in time gives `status: null` and a reason, never an error. */
export async function viewRun(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<RunView> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const description = await handle.describe();
  const execution = EXECUTIONS[description.status.name];
  const end =
    execution === 'completed' || execution === 'failed'
      ? await outcomeOf(client, workflowId, description.runId)
      : WITHOUT_OUTCOME;
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
    cluster: description.typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? workflowId,
    ...fromMemo(description.memo),
    ...(asked === null ? ENDED : statusOrSilence(asked)),
    contact:
      execution === 'running'
        ? await contactOf(description, client.options.loadedDataConverter)
        : null,
    ...end,
  };
}

type ReadOutcome = Pick<RunView, 'outcome' | 'outcomeUnread'>;
const WITHOUT_OUTCOME: ReadOutcome = { outcome: null, outcomeUnread: '' };

const ENDED = { status: null, silence: null } as const;

function statusOrSilence(asked: Asked<ClusterStatus>): Pick<RunView, 'status' | 'silence'> {
  return asked.kind === 'answered'
    ? { status: asked.value, silence: null }
    : { status: null, silence: asked.silence };
}

/**
 * A failed or refused run also carries its outcome, in the failure. One that cannot be decoded here is not known; a server that does not
 * answer is an error, as everywhere.
 */
async function outcomeOf(client: Client, workflowId: string, runId: string): Promise<ReadOutcome> {
  try {
    const ended = client.workflow.result<() => Promise<ClusterOutcome>>(workflowId, runId);
    return { outcome: await ended, outcomeUnread: '' };
  } catch (error) {
    if (error instanceof ValueError) return { outcome: null, outcomeUnread: error.message };
    if (!(error instanceof WorkflowFailedError)) throw error;
    return { outcome: outcomeOfFailure(error), outcomeUnread: '' };
  }
}

const ANSWER_WITHIN_MS = 3_000;

/** What the run reports about itself. An ended run is queried too: a worker replays it. */
export function askStatus(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<Asked<ClusterStatus>> {
  const question = { workflowId, runId, query: statusQuery, args: [] as [] };
  return askRun(client, { ...question, withinMs: ANSWER_WITHIN_MS });
}

/** What the server says of an execution, in our words. */
export const EXECUTIONS: Readonly<
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

/** What is stored beside a run for people. */
export function fromMemo(
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

/** How an open run reaches its cluster, from what its activities reported to the server. Times in epoch ms. */
export interface Contact {
  /** The last observation of the guard; null before its first. */
  readonly seen: LastSeen | null;
  /** What does not get through at present; null when everything does, or nothing was attempted. */
  readonly outage: Outage | null;
  /** Since when its guard waits for a worker that has room for it; null while it runs, and where there is none. */
  readonly guardQueuedMs: number | null;
}

export interface LastSeen {
  /** On the worker's clock. */
  readonly atMs: number;
  readonly owner: Owner;
  readonly nodes: readonly string[];
  /** Nodes that did not answer at that time. */
  readonly away: readonly string[];
  readonly ownership: OwnershipFigures;
}

export interface Outage {
  readonly sinceMs: number;
  readonly attempts: number;
  readonly error: string;
  /** Null while an attempt is running, or when unknown. */
  readonly nextTryAtMs: number | null;
}

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

const GUARD = 'guardCluster';

/** Reads the pending activities. An older worker reports less; missing fields stay unknown. */
export async function contactOf(
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
  converter: LoadedDataConverter,
): Promise<Contact> {
  const pending = raw.pendingActivities ?? [];
  const guard = pending.find(({ activityType }) => activityType?.name === GUARD);
  const told = guard === undefined ? NOTHING : await toldBy(guard, converter);
  const others = pending
    .filter((each) => each !== guard)
    .map(async (each) => failing(each, converter));
  // A failure from before the guard's latest observation is over.
  const seenAtMs = told.seen?.atMs ?? -Infinity;
  const present = (await Promise.all(others))
    .flat()
    .filter(({ failedAtMs }) => failedAtMs > seenAtMs);
  return {
    seen: told.seen,
    outage: told.outage ?? longest(present),
    guardQueuedMs: guard === undefined ? null : queuedMs(guard),
  };
}

type Told = Pick<Contact, 'seen' | 'outage'>;
const NOTHING: Told = { seen: null, outage: null };

/** PendingActivityState of temporal/api/enums/v1/workflow.proto. */
const SCHEDULED = 1;

/** From its schedule, or from when it was due again after the worker that had it. */
function queuedMs({ state, scheduledTime, nextAttemptScheduleTime }: Pending): number | null {
  if (Number(state) !== SCHEDULED) return null;
  const dueMs = epochMs(nextAttemptScheduleTime) ?? epochMs(scheduledTime);
  return dueMs === null || dueMs > Date.now() ? null : dueMs;
}

/** The guard's last heartbeat; nothing where it cannot be read: another codec, or not our guard. */
async function toldBy(
  { heartbeatDetails }: Pending,
  converter: LoadedDataConverter,
): Promise<Told> {
  const payloads = heartbeatDetails?.payloads ?? [];
  if (payloads.length === 0) return NOTHING;
  try {
    const memory = await decodeFromPayloadsAtIndex<GuardMemory>(converter, 0, payloads);
    return { seen: memory.observations > 0 ? seenBy(memory) : null, outage: outageOf(memory) };
  } catch {
    return NOTHING;
  }
}

function seenBy({ trace, reachable }: GuardMemory): LastSeen {
  const away = Object.entries(reachable).flatMap(([node, answers]) => (answers ? [] : [node]));
  return { atMs: trace.atMs, ...leaderIn(trace), away, ownership: summarizeTrace(trace) };
}

/** Absent from an older worker's memory. */
function outageOf({ outage }: GuardMemory): Outage | null {
  if (!outage) return null;
  const { sinceMs, attempts, error } = outage;
  return { sinceMs, attempts, error: oneLine(error), nextTryAtMs: null };
}

interface Failing extends Outage {
  readonly failedAtMs: number;
}

/** An activity that is retried until the cluster answers: observations and the fence. A lost worker is no evidence. */
async function failing(
  inFlight: Pending,
  converter: LoadedDataConverter,
): Promise<readonly Failing[]> {
  const { lastFailure, scheduledTime, nextAttemptScheduleTime, lastAttemptCompleteTime } = inFlight;
  const attempt = inFlight.attempt ?? 1;
  if (attempt < 2 || !lastFailure?.applicationFailureInfo) return [];
  return [
    {
      failedAtMs: epochMs(lastAttemptCompleteTime) ?? Date.now(),
      sinceMs: epochMs(scheduledTime) ?? Date.now(),
      attempts: attempt - 1,
      error: oneLine(await messageOf(lastFailure, converter)),
      nextTryAtMs: epochMs(nextAttemptScheduleTime),
    },
  ];
}

/** With the text that was encrypted; without the key, what the SDK wrote in its place. */
async function messageOf(
  failure: NonNullable<Pending['lastFailure']>,
  converter: LoadedDataConverter,
): Promise<string> {
  try {
    return (await decodeOptionalFailureToOptionalError(converter, failure))?.message ?? '';
  } catch {
    return failure.message ?? '';
  }
}

function longest(outages: readonly Failing[]): Outage | null {
  const [first] = [...outages].sort((a, b) => a.sinceMs - b.sinceMs);
  if (first === undefined) return null;
  const { failedAtMs: _when, ...outage } = first;
  return outage;
}

function epochMs(time: Pending['scheduledTime']): number | null {
  if (!time?.seconds) return null;
  return Number(time.seconds) * 1000 + Math.floor((time.nanos ?? 0) / 1_000_000);
}
