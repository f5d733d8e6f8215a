import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { raceAbort } from '../../../activities/race-abort.js';
import { CLUSTER_MIGRATION } from '../../../config/names.js';
import {
  type EventfulRun,
  type OutgoingEvent,
  runBegan,
  runEnded,
  eventsOfStatus,
} from '../../../domain/automation/run-events.js';
import { type ClusterStatus, statusQuery } from '../../../workflows/messages.js';
import { askRun } from '../../runs/ask-run.js';
import { CLUSTER_ATTRIBUTE, FLEET_ATTRIBUTE } from '../../runs/find-run.js';

/** What was learned of an execution and cannot change. */
interface Known {
  readonly firstRunId: string;
  /** The events of one that has ended, once its status was asked for. */
  readonly whole: readonly OutgoingEvent[] | null;
}

/** Reads what has happened to runs, again and again. */
export interface RunWatch {
  /**
   * All events of open runs, and of those that have ended since `sinceMs` (epoch ms), also those that were read before.
   * @throws where Temporal does not answer
   */
  readonly read: (sinceMs: number) => Promise<readonly OutgoingEvent[]>;
}

/** Runs that are asked at a time: a watch must not be what makes workers slow. */
const LANES = 8;
const STATUS_WITHIN_MS = 3_000;
/** All of one reading: thousands of runs of which none answers. */
const READ_WITHIN_MS = 30 * 60_000;

/** `signal` ends a reading that is under way. A client that tries again would rest through it. */
export function watchRuns(client: Client, signal: AbortSignal): RunWatch {
  let known = new Map<string, Known>();
  return {
    read: async (sinceMs) =>
      bounded(client, signal, async () => {
        const executions = await listed(client, sinceMs);
        const next = new Map<string, Known>();
        const events = await inLanes(executions, async (execution) => {
          const before = known.get(execution.runId) ?? (await firstSeen(client, execution));
          const read = await eventsOf(client, execution, before);
          const isOver = execution.status.name !== 'RUNNING';
          next.set(execution.runId, { ...before, whole: isOver ? read : null });
          return read;
        });
        known = next;
        return events.flat();
      }),
  };
}

async function bounded<T>(
  { connection }: Client,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return raceAbort(signal, connection.withDeadline(Date.now() + READ_WITHIN_MS, work));
}

async function listed(client: Client, sinceMs: number): Promise<readonly WorkflowExecutionInfo[]> {
  const since = new Date(sinceMs).toISOString();
  const ours = `WorkflowType='${CLUSTER_MIGRATION}'`;
  const queries = [
    `${ours} AND ExecutionStatus='Running'`,
    `${ours} AND ExecutionStatus!='Running' AND CloseTime>'${since}'`,
  ];
  const found: WorkflowExecutionInfo[] = [];
  for (const query of queries) {
    for await (const execution of client.workflow.list({ query })) {
      // Its successor is the same run.
      if (execution.status.name !== 'CONTINUED_AS_NEW') found.push(execution);
    }
  }
  return found;
}

async function firstSeen(
  client: Client,
  { workflowId, runId }: WorkflowExecutionInfo,
): Promise<Known> {
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  return { firstRunId: raw.workflowExecutionInfo?.firstRunId ?? runId, whole: null };
}

async function eventsOf(
  client: Client,
  execution: WorkflowExecutionInfo,
  { firstRunId, whole }: Known,
): Promise<readonly OutgoingEvent[]> {
  if (whole !== null) return whole;
  const { workflowId, runId, startTime } = execution;
  const run = eventfulRun(execution, firstRunId);
  const asked = await askRun(client, {
    ...{ workflowId, runId, query: statusQuery, args: [], withinMs: STATUS_WITHIN_MS },
  });
  const told = asked.kind === 'answered' ? asked.value : null;
  const start = runBegan(run, runId === firstRunId ? startTime.getTime() : null);
  const between = told === null ? [] : eventsOfStatus(run, told);
  return [start, ...between, ...endOf(run, execution, told)];
}

function eventfulRun(
  { workflowId, typedSearchAttributes: attributes }: WorkflowExecutionInfo,
  firstRunId: string,
): EventfulRun {
  return {
    ...{ workflowId, runId: firstRunId },
    cluster: attributes.get(CLUSTER_ATTRIBUTE) ?? '',
    fleet: attributes.get(FLEET_ATTRIBUTE) ?? '',
  };
}

function endOf(
  run: EventfulRun,
  { status, closeTime }: WorkflowExecutionInfo,
  told: ClusterStatus | null,
): readonly OutgoingEvent[] {
  if (status.name === 'RUNNING') return [];
  const end = { execution: status.name.toLowerCase(), outcome: told?.outcome?.kind ?? null };
  return [runEnded(run, closeTime?.getTime() ?? null, end)];
}

async function inLanes<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}
