import type { ExecutionEntry, LogEntry } from './log-entry.js';

/** A log whose signatures and hashes are right. */
export interface ProvenLog {
  readonly origin: string;
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** How many of them no operator could have written later: they are under a checkpoint that is out of his reach. */
  readonly outside: number;
}

/** An execution as an export has it: the digest of its history after each event. */
export interface ExportedExecution {
  readonly runId: string;
  readonly digests: readonly string[];
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
    }
  /** It contradicts the log. */
  | { readonly kind: 'contradicted'; readonly why: string };

/** Holds a run against a log: each execution must begin as the log says it did, and none may be left out. */
export function judgeAnchor(run: AnchoredRun, log: ProvenLog): AnchorVerdict {
  const faults = log.entries.flatMap((entry) => (isOf(run, entry) ? entryFaults(entry, run) : []));
  const [why] = faults;
  if (why !== undefined) return { kind: 'contradicted', why };
  const proven = log.entries.slice(0, log.outside).filter((entry) => isOf(run, entry));
  const spans = run.executions.map((execution) => anchoredSpan(execution, proven));
  const open = spans.findIndex(({ anchored, events }) => anchored < events);
  const first = spans[open];
  if (first !== undefined) return { kind: 'window', execution: open + 1, ...first };
  return spans.reduce<AnchorVerdict & { readonly kind: 'anchored' }>(
    (sum, { events, by }) => ({ kind: 'anchored', events: sum.events + events, by }),
    { kind: 'anchored', events: 0, by: '' },
  );
}

interface AnchoredSpan {
  readonly anchored: number;
  readonly events: number;
  readonly by: string;
}

function anchoredSpan(
  { runId, digests }: ExportedExecution,
  proven: readonly ExecutionEntry[],
): AnchoredSpan {
  const events = digests.length;
  const own = proven.filter((entry) => entry.runId === runId);
  return own.reduce<AnchoredSpan>(
    (best, entry) =>
      entry.events > best.anchored ? { anchored: entry.events, events, by: entry.at } : best,
    { anchored: 0, events, by: '' },
  );
}

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
