import { canonicalJson } from '../digest.js';

/**
 * What a log says of one execution of a run: how its history began. One that has gone on gets another entry; none is ever
 * changed.
 */
export interface ExecutionEntry {
  readonly kind: 'execution';
  /** When the history was read, ISO 8601 UTC: what is said of it was so by then. */
  readonly at: string;
  readonly cluster: string;
  readonly workflowId: string;
  readonly runId: string;
  /** The first execution of the run. */
  readonly firstRunId: string;
  /** As the server says, ISO 8601 UTC. */
  readonly startedAt: string;
  /** `open`, or how the execution ended. */
  readonly ended: string;
  /** How many events were read. */
  readonly events: number;
  /** Digest of all of them, as `historyDigests` makes it. */
  readonly history: string;
}

/** Nothing had changed for some time: the log was not asleep. */
export interface QuietEntry {
  readonly kind: 'quiet';
  readonly at: string;
}

export type LogEntry = ExecutionEntry | QuietEntry;

/** Canonical JSON: one entry has one text. */
export function entryText(entry: LogEntry): string {
  return canonicalJson(entry);
}

const TEXTS = [
  ...['at', 'cluster', 'workflowId', 'runId', 'firstRunId', 'startedAt', 'ended', 'history'],
];
const NAMES = [...TEXTS, 'events', 'kind'].sort().join(' ');
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** Null for a text that this version does not write. */
export function readLogEntry(text: string): LogEntry | null {
  const value = parsed(text);
  if (value === null || canonicalJson(value) !== text) return null;
  const { kind, at } = value;
  if (typeof at !== 'string' || !TIME.test(at)) return null;
  const names = Object.keys(value).sort().join(' ');
  if (kind === 'quiet') return names === 'at kind' ? { kind, at } : null;
  return names === NAMES && kind === 'execution' && isExecution(value) ? value : null;
}

function isExecution(value: object): value is ExecutionEntry {
  const members: Readonly<Record<string, unknown>> = { ...value };
  const { events } = members;
  return (
    Number.isSafeInteger(events) &&
    Number(events) > 0 &&
    TEXTS.every((name) => typeof members[name] === 'string')
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
