import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { CLUSTER_MIGRATION, FLEET_MIGRATION } from '../../config/names.js';
import { endingOf, historyDigests } from '../../domain/transparency/history-digests.js';
import type { ExecutionEntry, LogEntry } from '../../domain/transparency/log-entry.js';
import { executionEntries } from '../../domain/transparency/logged-runs.js';
import { historyOf, readable } from './export-run.js';
import { eventsOf, linksOf, textIn } from './history-facts.js';
import { CLUSTER_ATTRIBUTE } from '../runs/find-run.js';
import { readAtOnce } from '../runs/read-at-once.js';

/** What the server says now, beside what a log says. */
export interface AnchorPass {
  /** Executions that are new, or have gone on. */
  readonly added: readonly ExecutionEntry[];
  /** Where the server says now what it did not say before: its past was rewritten. */
  readonly contradictions: readonly string[];
  /** Executions that are there and cannot be read, and why. */
  readonly unreadable: readonly string[];
}

/** Reads each execution of a run that has more events than the log knows of, one history after the other: a fleet's are too much at once. */
export async function anchorPass(
  client: Client,
  entries: readonly LogEntry[],
): Promise<AnchorPass> {
  const known = executionEntries(entries);
  const contradictions: string[] = [];
  const added: ExecutionEntry[] = [];
  const unreadable: string[] = [];
  for (const listed of await changedExecutions(client, known)) {
    const before = known.get(listed.runId) ?? [];
    const history = await ifThere(readable(historyOf(client, listed)));
    if (history === null) continue;
    if (typeof history === 'string') {
      unreadable.push(history);
      continue;
    }
    const read = { events: eventsOf(history), at: new Date().toISOString() };
    const digests = historyDigests(read.events);
    const fault = contradictionIn(before, digests);
    if (fault !== null) {
      contradictions.push(`${listed.workflowId}, execution ${listed.runId}: ${fault}`);
    } else if (digests.length > (before.at(-1)?.events ?? 0)) {
      added.push({ ...entryOf(listed, read), history: digests.at(-1) ?? '' });
    }
  }
  return { added, contradictions, unreadable };
}

type KnownExecutions = ReturnType<typeof executionEntries>;

/** Oldest first. Those that had ended when they were read cannot go on, and are not read again. */
async function changedExecutions(
  client: Client,
  known: KnownExecutions,
): Promise<readonly WorkflowExecutionInfo[]> {
  const unfinished: WorkflowExecutionInfo[] = [];
  const query = `WorkflowType IN ('${CLUSTER_MIGRATION}', '${FLEET_MIGRATION}')`;
  for await (const listed of client.workflow.list({ query })) {
    const ended = known.get(listed.runId)?.at(-1)?.ended ?? 'open';
    if (ended === 'open') unfinished.push(listed);
  }
  const lengths = await readAtOnce(unfinished, (each) => lengthOf(client, each));
  const changed = unfinished.filter(({ runId }, index) =>
    hasChanged(lengths[index], known.get(runId)?.at(-1)?.events),
  );
  return changed.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
}

/** A history that is gone cannot be read; one that is shorter now is a contradiction. */
function hasChanged(length: number | null | undefined, before: number | undefined): boolean {
  return typeof length === 'number' && length !== before;
}

/** Lists lag behind, and know no length of what is open. Null for one that was deleted since. */
async function lengthOf(
  client: Client,
  { workflowId, runId }: WorkflowExecutionInfo,
): Promise<number | null> {
  const asked = client.workflow.getHandle(workflowId, runId).describe();
  const described = await ifThere(asked).catch((error: unknown) => {
    if (error instanceof ServiceError) throw error;
    // Its memo cannot be read, which its history has, too: that says what it is.
    return { historyLength: UNKNOWN_LENGTH };
  });
  return described?.historyLength ?? null;
}

const UNKNOWN_LENGTH = -1;

async function ifThere<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });
}

function contradictionIn(
  before: readonly ExecutionEntry[],
  digests: readonly string[],
): string | null {
  const wrong = before.find(({ events, history }) => digests[events - 1] !== history);
  if (wrong === undefined) return null;
  return `its first ${String(wrong.events)} events are not what they were by ${wrong.at}`;
}

function entryOf(
  { workflowId, runId, typedSearchAttributes }: WorkflowExecutionInfo,
  { events, at }: { readonly events: readonly unknown[]; readonly at: string },
): Omit<ExecutionEntry, 'history'> {
  return {
    ...{ kind: 'execution', at, workflowId, runId },
    cluster: typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? '',
    firstRunId: linksOf({ events }).first,
    startedAt: textIn(events[0], 'eventTime'),
    ended: endingOf(events),
    events: events.length,
  };
}
