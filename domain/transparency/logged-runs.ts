import type { ExecutionEntry, LogEntry } from './log-entry.js';

/** A run as a log knows it. */
export interface LoggedRun {
  readonly workflowId: string;
  /** Of its first execution. */
  readonly runId: string;
  readonly cluster: string;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
}

/** Each run that a log has an execution of, in the order in which it learned of them. */
export function loggedRuns(entries: readonly LogEntry[]): readonly LoggedRun[] {
  const runs = new Map<string, LoggedRun>();
  for (const entry of entries) {
    if (entry.kind !== 'execution') continue;
    const { workflowId, firstRunId: runId, cluster, startedAt } = entry;
    const known = runs.get(runId);
    if (known !== undefined && known.startedAt <= startedAt) continue;
    runs.set(runId, { workflowId, runId, cluster, startedAt });
  }
  return [...runs.values()];
}

/** What a log says of each execution so far: every entry, oldest first, by its run id. */
export function executionEntries(
  entries: readonly LogEntry[],
): ReadonlyMap<string, readonly ExecutionEntry[]> {
  const found = new Map<string, ExecutionEntry[]>();
  for (const entry of entries) {
    if (entry.kind !== 'execution') continue;
    const own = found.get(entry.runId);
    if (own === undefined) found.set(entry.runId, [entry]);
    else own.push(entry);
  }
  return found;
}
