import type { LoadedDataConverter, Payload } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { member, readJson } from '../read-json.js';
import { payloadOf } from './payload-json.js';

/** What a history (as JSON) says besides its events. It may have been tampered with, so every field is checked. */

/** The build that last ran the workflow, from the worker's build id; empty when there is none. */
export function buildIdIn(history: unknown): string {
  const ids = eventsOf(history).flatMap((event) => {
    const completed = member(event, 'workflowTaskCompletedEventAttributes');
    return [
      member(member(completed, 'deploymentVersion'), 'buildId'),
      member(member(completed, 'workerVersion'), 'buildId'),
    ].filter((id): id is string => typeof id === 'string' && id !== '');
  });
  return ids.at(-1) ?? '';
}

const STARTED = 'workflowExecutionStartedEventAttributes';

/** The event that says with what an execution was started: the first that says so, for all who ask. Undefined without one. */
export function startEvent(history: unknown): unknown {
  return eventsOf(history).find((event) => member(event, STARTED) !== undefined);
}

/** With what an execution was started. */
export function startAttributes(history: unknown): unknown {
  return member(startEvent(history), STARTED);
}

/** Whether the first event of a history, and no other, says with what it was started: no server writes it otherwise. */
export function isStartedOnce(history: unknown): boolean {
  const [first, ...others] = eventsOf(history).map((event) => member(event, STARTED));
  return first !== undefined && others.every((each) => each === undefined);
}

/** How one execution of a run links to the others. Run ids; empty where there is none. */
export interface ExecutionLinks {
  readonly first: string;
  readonly previous: string;
  /** The execution that this one continued as. */
  readonly next: string;
}

export function linksOf(history: unknown): ExecutionLinks {
  const attributes = (name: string): unknown =>
    eventsOf(history)
      .map((event) => member(event, name))
      .find((found) => found !== undefined);
  const started = startAttributes(history);
  const continued = attributes('workflowExecutionContinuedAsNewEventAttributes');
  return {
    first: textIn(started, 'firstExecutionRunId'),
    previous: textIn(started, 'continuedExecutionRunId'),
    next: textIn(continued, 'newExecutionRunId'),
  };
}

/** How a run's evidence chain ends, as the run itself reported it. */
export type ReportedEnd =
  | { readonly kind: 'reported'; readonly records: number; readonly hash: string }
  /** It ended without evidence: it was refused before its first change. */
  | { readonly kind: 'empty' }
  /** The run has not completed or failed. */
  | { readonly kind: 'none' }
  /** The run ended, but its result has an encoding that this installation cannot read. */
  | { readonly kind: 'unreadable' };

/** Length and hash of the evidence chain from the outcome of the run, completed or failed. */
export async function reportedEnd(
  history: unknown,
  converter: LoadedDataConverter,
): Promise<ReportedEnd> {
  const read = await reportedOutcome(history, converter);
  if (read.kind !== 'reported') return read;
  const evidence = member(read.outcome, 'evidence');
  const [records, hash] = [member(evidence, 'records'), member(evidence, 'head')];
  return typeof records === 'number' && typeof hash === 'string'
    ? { kind: 'reported', records, hash }
    : { kind: 'empty' };
}

/** What the run ended with, as it said itself. */
export type ReportedOutcome =
  | { readonly kind: 'reported'; readonly outcome: unknown }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' };

export async function reportedOutcome(
  history: unknown,
  converter: LoadedDataConverter,
): Promise<ReportedOutcome> {
  const payload = eventsOf(history).flatMap(outcomePayloads).at(-1);
  if (payload === undefined) return { kind: 'none' };
  const outcome = await decoded(payload, converter);
  return outcome === null ? { kind: 'unreadable' } : { kind: 'reported', outcome: outcome.value };
}

/** A run that failed carries its outcome in the details of the failure. */
function outcomePayloads(event: unknown): readonly unknown[] {
  const completed = member(event, 'workflowExecutionCompletedEventAttributes');
  const failed = member(event, 'workflowExecutionFailedEventAttributes');
  const info = member(member(failed, 'failure'), 'applicationFailureInfo');
  return [member(completed, 'result'), member(info, 'details')].flatMap(
    (payloads) => firstPayload(payloads) ?? [],
  );
}

/** The first of a list of payloads, the form in which histories store inputs, results and details. */
export function firstPayload(payloads: unknown): unknown {
  return list(member(payloads, 'payloads'))[0];
}

/** The texts of payloads as they were carried, decoded by the codecs alone; null where one is no JSON. */
export async function carriedTexts(
  payloads: unknown,
  { payloadCodecs }: LoadedDataConverter,
): Promise<readonly string[] | null> {
  try {
    const texts: string[] = [];
    // One after another: each may expand to many megabytes.
    for (const payload of list(member(payloads, 'payloads'))) {
      const [plain = {}] = await decode(payloadCodecs, [payloadOf(payload)]);
      texts.push(textOf(plain));
    }
    return texts;
  } catch {
    return null;
  }
}

/** @throws Error unless it is JSON, or nothing, which has no text. */
function textOf({ data, metadata }: Payload): string {
  const encoding = Buffer.from(metadata?.['encoding'] ?? []).toString();
  if (encoding === 'binary/null') return '';
  if (encoding !== 'json/plain') throw new Error(`encoding ${encoding}`);
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
    data ?? new Uint8Array(),
  );
}

/**
 * What a payload says; null where it cannot be read. More strictly than a client reads it: bytes that are no UTF-8, which a client
 * replaces, would let one history say two things.
 */
export async function decoded(
  payload: unknown,
  converter: LoadedDataConverter,
): Promise<{ readonly value: unknown } | null> {
  const texts = await carriedTexts({ payloads: [payload] }, converter);
  if (texts === null) return null;
  const [text = ''] = texts;
  return text === '' ? { value: undefined } : readJson(text);
}

export function eventsOf(history: unknown): readonly unknown[] {
  return list(member(history, 'events'));
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textIn(value: unknown, name: string): string {
  const text = member(value, name);
  return typeof text === 'string' ? text : '';
}
