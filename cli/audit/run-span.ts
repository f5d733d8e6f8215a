import type { LoadedDataConverter } from '@temporalio/common';
import { member } from '../read-json.js';
import {
  decoded,
  eventsOf,
  reportedOutcome,
  startEvent,
  startAttributes,
  textIn,
} from './history-facts.js';

interface Execution {
  readonly history: unknown;
}

/** When a run began and ended, in epoch ms; it has not ended at infinity. */
export function runSpan(executions: readonly Execution[]): {
  readonly fromMs: number;
  readonly toMs: number;
} {
  const end = closingEvent(executions.at(-1)?.history);
  return {
    fromMs: timeOf(startEvent(executions[0]?.history)),
    toMs: end === undefined ? Infinity : timeOf(end),
  };
}

/** Epoch ms; 0 where it is not said. */
function timeOf(event: unknown): number {
  const ms = Date.parse(textIn(event, 'eventTime'));
  return Number.isNaN(ms) ? 0 : ms;
}

/** A time of a run for people and programs; empty where there is none. */
export function isoTime(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString();
}

/** Events that close a run, each with how the server calls it. */
const ENDINGS: Readonly<Record<string, string>> = {
  ...{ Completed: 'completed', Failed: 'failed', TimedOut: 'timed_out' },
  ...{ Canceled: 'canceled', Terminated: 'terminated' },
};

function closingEvent(history: unknown): unknown {
  const event = eventsOf(history).at(-1);
  return closedAs(history) === '' ? undefined : event;
}

/** How the server closed the last execution; empty while it is open. */
function closedAs(history: unknown): string {
  const event = eventsOf(history).at(-1);
  const closed = Object.entries(ENDINGS).find(
    ([how]) => member(event, `workflowExecution${how}EventAttributes`) !== undefined,
  );
  return closed?.[1] ?? '';
}

/** It was started with its ticket as a memo. */
async function ticketIn(history: unknown, converter: LoadedDataConverter): Promise<string> {
  const payload = member(member(member(startAttributes(history), 'memo'), 'fields'), 'ticket');
  const read = payload === undefined ? null : await decoded(payload, converter);
  return typeof read?.value === 'string' ? read.value : '';
}

/** How a run began and ended, as its histories say. */
export interface RunEnd {
  readonly ticket: string;
  /** As it ended itself; `open`, or what ended it from outside. */
  readonly outcome: string;
  readonly startedAtMs: number;
  /** Null while it is open. */
  readonly endedAtMs: number | null;
}

/** `status`: how the server calls its end, for a run that reported none; empty where only the histories say. */
export async function runEnd(
  executions: readonly Execution[],
  converter: LoadedDataConverter,
  status: string,
): Promise<RunEnd> {
  const last = executions.at(-1)?.history;
  const reported = await reportedOutcome(last, converter);
  const { fromMs, toMs } = runSpan(executions);
  const isOpen = toMs === Infinity;
  const ended = status === '' ? closedAs(last) : status;
  const outcome = reported.kind === 'reported' ? textIn(reported.outcome, 'kind') : ended;
  return {
    ticket: await ticketIn(executions[0]?.history, converter),
    outcome: isOpen ? 'open' : outcome,
    ...{ startedAtMs: fromMs, endedAtMs: isOpen ? null : toMs },
  };
}
