import type { LoadedDataConverter } from '@temporalio/common';
import { member } from '../../read-json.js';
import { activitiesOf, type HistoryActivity } from '../history-activities.js';
import {
  decoded,
  eventsOf,
  firstPayload,
  startAttributes,
  startEvent,
  textIn,
} from '../history-facts.js';

/** Who sent an event, as the server has it. */
export interface HistorySender {
  /** Principal that the server stamped on it, as `type name`; empty where it knows none. */
  readonly server: string;
  /** How the sending program calls itself. */
  readonly client: string;
}

/** An activity with what it was given and returned. All of it is foreign: any member may be missing. */
export interface DecodedActivity {
  readonly name: string;
  readonly at: string;
  readonly endedAt: string;
  readonly ended: HistoryActivity['ended'];
  readonly input: unknown;
  readonly result: unknown;
  /** Only where it ended badly. */
  readonly failure: DecodedFailure | null;
}

interface DecodedFailure {
  readonly type: string;
  readonly message: string;
  readonly details: unknown;
}

/** A message to the run. */
export interface DecodedSignal extends HistorySender {
  readonly at: string;
  readonly name: string;
  readonly input: unknown;
}

/** That it was cancelled or terminated from outside. */
export interface OutsideEnd extends HistorySender {
  readonly at: string;
  readonly verb: 'cancel' | 'terminate';
  readonly reason: string;
}

export interface DecodedRun {
  /** Of the first execution. */
  readonly started: HistorySender & { readonly at: string; readonly input: unknown };
  readonly activities: readonly DecodedActivity[];
  readonly signals: readonly DecodedSignal[];
  readonly outsideEnds: readonly OutsideEnd[];
  /** Payloads that could not be read here. */
  readonly unreadable: number;
}

/**
 * The executions of a run in order, decoded for people. Unlike `recordedRun`, which the checks rest on, it demands nothing: what is
 * missing or unreadable is left out and counted, because an account of a broken export still helps.
 */
export async function decodedRun(
  histories: readonly unknown[],
  converter: LoadedDataConverter,
): Promise<DecodedRun> {
  let unreadable = 0;
  const read: Read = async (payload) => {
    if (payload === undefined) return undefined;
    const found = await decoded(payload, converter);
    if (found === null) unreadable += 1;
    return found?.value;
  };
  const events = histories.flatMap(eventsOf);
  const activities: DecodedActivity[] = [];
  for (const history of histories) {
    for (const each of activitiesOf(history).begun.values()) {
      activities.push(await decodedActivity(each, read));
    }
  }
  return {
    started: await startOf(histories[0], read, activities[0]?.input),
    activities,
    signals: await signalsIn(events, read),
    outsideEnds: events.flatMap(outsideEnd),
    unreadable,
  };
}

type Read = (payload: unknown) => Promise<unknown>;

async function decodedActivity(activity: HistoryActivity, read: Read): Promise<DecodedActivity> {
  const { name, scheduled, result, ended, askedAt: at, endedAt, failure } = activity;
  return {
    ...{ name, at, endedAt, ended },
    input: await read(firstPayload(member(scheduled, 'input'))),
    result: await read(firstPayload(result)),
    failure: failure === undefined ? null : await decodedFailure(failure, read),
  };
}

async function decodedFailure(failure: unknown, read: Read): Promise<DecodedFailure> {
  const info = member(failure, 'applicationFailureInfo');
  const timeout = textIn(member(failure, 'timeoutFailureInfo'), 'timeoutType');
  return {
    type: textIn(info, 'type') || timeout,
    message: textIn(failure, 'message'),
    details: await read(firstPayload(member(info, 'details'))),
  };
}

/** A history that was written by hand, or cut, may have no input: each activity (`repeated`) has the most of it. */
async function startOf(
  history: unknown,
  read: Read,
  repeated: unknown,
): Promise<DecodedRun['started']> {
  const [event, attributes] = [startEvent(history), startAttributes(history)];
  const input = (await read(firstPayload(member(attributes, 'input')))) ?? repeated;
  return { at: textIn(event, 'eventTime'), input, ...senderOf(event, attributes) };
}

async function signalsIn(
  events: readonly unknown[],
  read: Read,
): Promise<readonly DecodedSignal[]> {
  const signals: DecodedSignal[] = [];
  for (const event of events) {
    const attributes = member(event, 'workflowExecutionSignaledEventAttributes');
    if (attributes === undefined) continue;
    const input = await read(firstPayload(member(attributes, 'input')));
    const [at, name] = [textIn(event, 'eventTime'), textIn(attributes, 'signalName')];
    signals.push({ at, name, input, ...senderOf(event, attributes) });
  }
  return signals;
}

function outsideEnd(event: unknown): readonly OutsideEnd[] {
  const at = textIn(event, 'eventTime');
  return (['cancel', 'terminate'] as const).flatMap((verb) => {
    const attributes = member(event, OUTSIDE_ENDS[verb]);
    if (attributes === undefined) return [];
    const reason = textIn(attributes, 'reason') || textIn(attributes, 'cause');
    return [{ at, verb, reason, ...senderOf(event, attributes) }];
  });
}

const OUTSIDE_ENDS = {
  cancel: 'workflowExecutionCancelRequestedEventAttributes',
  terminate: 'workflowExecutionTerminatedEventAttributes',
} as const;

function senderOf(event: unknown, attributes: unknown): HistorySender {
  const principal = member(event, 'principal');
  const server = [textIn(principal, 'type'), textIn(principal, 'name')].filter(
    (each) => each !== '',
  );
  return { server: server.join(' '), client: textIn(attributes, 'identity') };
}
