import type { LoadedDataConverter } from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { member } from '../read-json.js';

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
  const started = attributes('workflowExecutionStartedEventAttributes');
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
  /** The run has not completed or failed, or it ended without evidence. */
  | { readonly kind: 'none' }
  /** The run ended, but its result has an encoding that this installation cannot read. */
  | { readonly kind: 'unreadable' };

/** Length and hash of the evidence chain from the outcome of the run, completed or failed. */
export async function reportedEnd(
  history: unknown,
  converter: LoadedDataConverter,
): Promise<ReportedEnd> {
  const payload = eventsOf(history).flatMap(outcomePayloads).at(-1);
  if (payload === undefined) return { kind: 'none' };
  const outcome = await decoded(payload, converter);
  if (outcome === null) return { kind: 'unreadable' };
  const evidence = member(outcome.value, 'evidence');
  const [records, hash] = [member(evidence, 'records'), member(evidence, 'head')];
  return typeof records === 'number' && typeof hash === 'string'
    ? { kind: 'reported', records, hash }
    : { kind: 'none' };
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

/** Decoded through codec and converter as a client does; null when they refuse. */
export async function decoded(
  payload: unknown,
  converter: LoadedDataConverter,
): Promise<{ readonly value: unknown } | null> {
  const metadata = Object.entries(member(payload, 'metadata') ?? {});
  try {
    const value = await decodeFromPayloadsAtIndex(converter, 0, [
      {
        data: bytes(member(payload, 'data')),
        metadata: Object.fromEntries(metadata.map(([name, text]) => [name, bytes(text)])),
      },
    ]);
    return { value };
  } catch {
    return null;
  }
}

/** A JSON history stores bytes as base64. */
function bytes(text: unknown): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text, 'base64') : new Uint8Array();
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
