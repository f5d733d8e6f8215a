import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { GuardMemory } from '../../activities/contract.js';
import type { OwnershipFigures } from '../../domain/ownership-trace.js';
import { leaderIn, summarizeTrace } from '../../domain/ownership.js';
import { oneLine } from '../../domain/plain-text.js';
import type { Owner } from '../../domain/vocabulary.js';

/** How a run that is open reaches its cluster, from what its activities told the server. Times in epoch ms. */
export interface Contact {
  /** The last observation of the guard; null before its first. */
  readonly seen: Seen | null;
  /** What does not get through at present; null when all does, or nothing has been tried. */
  readonly outage: Outage | null;
}

export interface Seen {
  /** On the worker's clock. */
  readonly atMs: number;
  readonly owner: Owner;
  readonly nodes: readonly string[];
  /** Nodes that did not answer then. */
  readonly away: readonly string[];
  readonly ownership: OwnershipFigures;
}

export interface Outage {
  readonly sinceMs: number;
  readonly tries: number;
  readonly error: string;
  /** Null when it is under way or not known. */
  readonly nextTryAtMs: number | null;
}

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

const GUARD = 'guardCluster';

/** Reads the activities that are under way. An older worker tells less, and then nothing is made up. */
export async function contactOf(
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
  converter: LoadedDataConverter,
): Promise<Contact> {
  const pending = raw.pendingActivities ?? [];
  const guard = pending.find(({ activityType }) => activityType?.name === GUARD);
  const told = guard === undefined ? NOTHING : await toldBy(guard, converter);
  const others = pending.filter((each) => each !== guard).flatMap(failing);
  // What failed before the guard saw the cluster again is over.
  const seenAtMs = told.seen?.atMs ?? -Infinity;
  const present = others.filter(({ failedAtMs }) => failedAtMs > seenAtMs);
  return { seen: told.seen, outage: told.outage ?? longest(present) };
}

const NOTHING: Contact = { seen: null, outage: null };

/** What the guard's last heartbeat says; nothing where it cannot be read: another codec, or no guard of ours. */
async function toldBy(
  { heartbeatDetails }: Pending,
  converter: LoadedDataConverter,
): Promise<Contact> {
  const payloads = heartbeatDetails?.payloads ?? [];
  if (payloads.length === 0) return NOTHING;
  try {
    const memory = await decodeFromPayloadsAtIndex<GuardMemory>(converter, 0, payloads);
    return { seen: memory.looks > 0 ? seenBy(memory) : null, outage: outageOf(memory) };
  } catch {
    return NOTHING;
  }
}

function seenBy({ trace, reachable }: GuardMemory): Seen {
  const away = Object.entries(reachable).flatMap(([node, answers]) => (answers ? [] : [node]));
  return { atMs: trace.atMs, ...leaderIn(trace), away, ownership: summarizeTrace(trace) };
}

/** An older worker's memory has none. */
function outageOf({ outage }: GuardMemory): Outage | null {
  if (!outage) return null;
  const { sinceMs, tries, error } = outage;
  return { sinceMs, tries, error: oneLine(error), nextTryAtMs: null };
}

interface Failing extends Outage {
  readonly failedAtMs: number;
}

/** An activity that is tried again: observations and the fence, until the cluster answers. A lost worker says nothing. */
function failing(activity: Pending): readonly Failing[] {
  const { lastFailure, scheduledTime, nextAttemptScheduleTime, lastAttemptCompleteTime } = activity;
  const attempt = activity.attempt ?? 1;
  if (attempt < 2 || !lastFailure?.applicationFailureInfo) return [];
  return [
    {
      failedAtMs: epochMs(lastAttemptCompleteTime) ?? Date.now(),
      sinceMs: epochMs(scheduledTime) ?? Date.now(),
      tries: attempt - 1,
      error: oneLine(lastFailure.message ?? ''),
      nextTryAtMs: epochMs(nextAttemptScheduleTime),
    },
  ];
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
