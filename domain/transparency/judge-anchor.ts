import type { ExecutionEntry, LogEntry } from './log-entry.js';
import { type LogStamps, type UtcTime, stampedSize, timelyPrefix } from './log-stamps.js';

/** A log whose signatures and hashes are right. */
export interface ProvenLog {
  readonly origin: string;
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** How many of them no operator could have written later: they are under a checkpoint that is out of his reach. */
  readonly outside: number;
}

/** An execution as an export has it: the digest of its history after each event, and when each event was. */
export interface ExportedExecution {
  readonly runId: string;
  readonly digests: readonly string[];
  /** As the history says; one for each digest. */
  readonly times: readonly UtcTime[];
}

export interface AnchoredRun {
  readonly workflowId: string;
  /** Of its first execution. */
  readonly runId: string;
  /** Oldest first. */
  readonly executions: readonly ExportedExecution[];
}

export type AnchorVerdict =
  /** Everything in it, to its end, was so by that time (ISO 8601 UTC). */
  | { readonly kind: 'anchored'; readonly events: number; readonly by: string }
  /** The first `anchored` events of an execution were so; what came after may have been rewritten. */
  | {
      readonly kind: 'window';
      readonly execution: number;
      readonly anchored: number;
      readonly events: number;
      readonly by: string;
      /** What came after was stamped, but long after it happened. */
      readonly late: boolean;
    }
  /** It contradicts the log. */
  | { readonly kind: 'contradicted'; readonly why: string };

/**
 * Holds a run against a log: each execution must begin as the log says it did, and none may be left out. `stamps` are at least
 * those over the entries of the run: `stampedSizes`.
 */
export function judgeAnchor(
  run: AnchoredRun,
  log: ProvenLog,
  stamps: LogStamps = NO_STAMPS,
): AnchorVerdict {
  const entries = entriesOf(run, log);
  const [why] = entries.flatMap((entry) => entryFaults(entry, run));
  if (why !== undefined) return { kind: 'contradicted', why };
  const spans = run.executions.map((execution) =>
    anchoredSpan(execution, { entries, outside: log.outside, stamps }),
  );
  const open = spans.findIndex(({ anchored, events }) => anchored < events);
  const first = spans[open];
  if (first !== undefined) return { kind: 'window', execution: open + 1, ...first };
  return spans.reduce<AnchorVerdict & { readonly kind: 'anchored' }>(
    (sum, { events, by }) => ({ kind: 'anchored', events: sum.events + events, by }),
    { kind: 'anchored', events: 0, by: '' },
  );
}

const NO_STAMPS: LogStamps = { made: new Map(), withinSeconds: 0 };

/** Which timestamps of a log are the first over an entry of the run, by the number of entries that the log had. */
export function stampedSizes(
  run: AnchoredRun,
  log: ProvenLog,
  sizes: readonly number[],
): readonly number[] {
  const first = entriesOf(run, log).map(({ place }) => stampedSize(place, sizes));
  return [...new Set(first)].filter((size) => size !== null);
}

interface PlacedEntry extends ExecutionEntry {
  /** In the log, from 0. */
  readonly place: number;
}

function entriesOf(run: AnchoredRun, { entries }: ProvenLog): readonly PlacedEntry[] {
  return entries.flatMap((entry, place) => (isOf(run, entry) ? [{ ...entry, place }] : []));
}

interface AnchoredSpan {
  readonly anchored: number;
  readonly events: number;
  readonly by: string;
  readonly late: boolean;
}

interface RunInLog extends Pick<ProvenLog, 'outside'> {
  readonly entries: readonly PlacedEntry[];
  readonly stamps: LogStamps;
}

function anchoredSpan(
  { runId, digests, times }: ExportedExecution,
  { entries, outside, stamps: { made, withinSeconds } }: RunInLog,
): AnchoredSpan {
  const own = entries.filter((entry) => entry.runId === runId);
  const kept = own
    .filter(({ place }) => place < outside)
    .reduce((best, { events, at }) => (events > best.events ? { events, by: at } : best), NOTHING);
  const stamped = own.flatMap(({ events, place }) => {
    const stamp = made.get(stampedSize(place, made.keys()) ?? NaN);
    return stamp === undefined ? [] : [{ events, stamp }];
  });
  const { events, by, late } = timelyPrefix(kept, { times, stamped, withinSeconds });
  return { anchored: events, events: digests.length, by, late };
}

const NOTHING = { events: 0, by: '' };

function isOf({ workflowId, runId }: AnchoredRun, entry: LogEntry): entry is ExecutionEntry {
  return (
    entry.kind === 'execution' && entry.workflowId === workflowId && entry.firstRunId === runId
  );
}

function entryFaults(entry: ExecutionEntry, { executions }: AnchoredRun): readonly string[] {
  const execution = executions.find(({ runId }) => runId === entry.runId);
  if (execution === undefined) return [`execution ${entry.runId} is in the log, and is left out`];
  const { digests } = execution;
  const name = `execution ${entry.runId}`;
  if (digests.length < entry.events) {
    return [
      `${name} had ${String(entry.events)} events by ${entry.at}, and ends after ${String(digests.length)}`,
    ];
  }
  if (digests[entry.events - 1] !== entry.history) {
    return [
      `the first ${String(entry.events)} events of ${name} are not what they were by ${entry.at}`,
    ];
  }
  return entry.ended !== 'open' && digests.length > entry.events
    ? [`${name} had ended (${entry.ended}) by ${entry.at}, and goes on`]
    : [];
}
