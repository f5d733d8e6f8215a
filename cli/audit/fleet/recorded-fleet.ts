import type { LoadedDataConverter } from '@temporalio/common';
import { MESSAGES } from '../../../config/names.js';
import { readCount, readEach } from '../../../domain/fleet/read-fields.js';
import { member } from '../../read-json.js';
import { activitiesOf, type HistoryActivity } from '../history-activities.js';
import { eventsOf, firstPayload, textIn } from '../history-facts.js';
import {
  foreignRecord,
  payloadReader,
  readExecutions,
  type ReadExecutions,
  type ReadPayload,
} from '../read-executions.js';
import { type FleetBegin, readFleetBegin } from './fleet-begin.js';
import { readSentPlan, type SentPlan } from './sent-plan.js';

/**
 * What the histories of a fleet recorded of people: with what it began and went on, who sent which command, what workers said of it,
 * and what the fleet then started. In the order in which the workflow received it.
 */
export type RecordedFleetEvent = { readonly where: string; readonly at: string } & (
  | { readonly kind: 'begins'; readonly begin: FleetBegin }
  /** A command as it was sent; what was sent may be anything. */
  | { readonly kind: 'command'; readonly sent: unknown }
  | { readonly kind: 'plan'; readonly sent: SentPlan }
  /** What a worker answered when it was asked whether a command, or a new plan, may be applied. */
  | {
      readonly kind: 'admission';
      readonly of: 'command' | 'plan';
      readonly asked: unknown;
      /** Empty where it was refused, and where the worker had no access policy. */
      readonly principal: string;
      readonly isAdmitted: boolean;
      /** That someone did what takes two people. */
      readonly isGlassBroken: boolean;
    }
  | {
      readonly kind: 'starts';
      readonly starts: readonly RecordedStart[];
      /** Payloads of the approvals that the runs were started with. */
      readonly approvals: readonly string[];
    }
  /** Orders to runs, as they were sent. */
  | { readonly kind: 'orders'; readonly signed: readonly string[] }
);

/** `signed`: payload of the command that the direction rests on; empty where there is none. */
export interface RecordedStart {
  readonly row: number;
  readonly grant: number;
  readonly target: string;
  readonly signed: string;
}

export type RecordedFleet = ReadExecutions<RecordedFleetEvent>;

/** Reads the executions of a fleet in order. Anything that is there and cannot be read makes all of it unreadable. */
export function recordedFleet(
  histories: readonly unknown[],
  converter: LoadedDataConverter,
): Promise<RecordedFleet> {
  return readExecutions(histories, (history, execution) =>
    recordsIn(history, converter, execution),
  );
}

/** With what its executions began. */
export function beginsIn(records: readonly RecordedFleetEvent[]): readonly FleetBegin[] {
  return records.flatMap((record) => (record.kind === 'begins' ? [record.begin] : []));
}

async function recordsIn(
  history: unknown,
  converter: LoadedDataConverter,
  execution: string,
): Promise<readonly RecordedFleetEvent[]> {
  const { begun, ended } = activitiesOf(history);
  const records: RecordedFleetEvent[] = [];
  for (const event of eventsOf(history)) {
    const id = textIn(event, 'eventId');
    const [where, at] = [`${execution}, event ${id}`, textIn(event, 'eventTime')];
    const read = payloadReader(converter, where);
    const fact =
      (await begunBy(event, read)) ??
      (await sentBy(event, read)) ??
      (await orderedBy(begun.get(id), read)) ??
      (await answeredBy(ended.get(id), read));
    if (fact !== null) records.push({ where, at, ...fact });
  }
  return records;
}

type WithoutPlace<Record> = Record extends unknown ? Omit<Record, 'where' | 'at'> : never;
type Fact = WithoutPlace<RecordedFleetEvent>;

async function begunBy(event: unknown, read: ReadPayload): Promise<Fact | null> {
  const started = member(event, 'workflowExecutionStartedEventAttributes');
  if (started === undefined) return null;
  return {
    kind: 'begins',
    begin: readFleetBegin(await read(firstPayload(member(started, 'input')))),
  };
}

async function sentBy(event: unknown, read: ReadPayload): Promise<Fact | null> {
  const signal = member(event, 'workflowExecutionSignaledEventAttributes');
  const input = (): Promise<unknown> => read(firstPayload(member(signal, 'input')));
  switch (textIn(signal, 'signalName')) {
    case MESSAGES.fleetCommand:
      return { kind: 'command', sent: await input() };
    case MESSAGES.fleetRevision:
      return { kind: 'plan', sent: readSentPlan(await input()) };
    default:
      return null;
  }
}

async function orderedBy(
  activity: HistoryActivity | undefined,
  read: ReadPayload,
): Promise<Fact | null> {
  if (activity === undefined) return null;
  const input = (): Promise<unknown> => read(firstPayload(member(activity.scheduled, 'input')));
  switch (activity.name) {
    case 'startClusters':
      return startsIn(await input());
    case 'broadcast':
      return { kind: 'orders', signed: listIn(await input(), 'messages').flatMap(signedOrder) };
    default:
      return null;
  }
}

function startsIn(input: unknown): Fact {
  const starts = listIn(input, 'starts').map(startIn);
  return { kind: 'starts', starts, approvals: approvalsIn(input) };
}

function listIn(input: unknown, name: string): readonly unknown[] {
  const items = readEach(member(input, name), (each) => ({ each }));
  if (items === null) throw foreignRecord(name);
  return items.map(({ each }) => each);
}

/** Builds before the one that hands them on left them out. */
function approvalsIn(input: unknown): readonly string[] {
  if (member(input, 'approvals') === undefined) return [];
  return listIn(input, 'approvals')
    .flatMap((wave) => listIn(wave, 'signed'))
    .map((each) => textIn(each, 'payload'));
}

function startIn(start: unknown): RecordedStart {
  const [row, grant] = [readCount(member(start, 'row')), readCount(member(start, 'grant'))];
  if (row === null || grant === null) throw foreignRecord('row');
  const signed = textIn(member(start, 'signed'), 'payload');
  return { row, grant, target: textIn(start, 'target'), signed };
}

function signedOrder(message: unknown): readonly string[] {
  const payload = textIn(member(member(message, 'order'), 'signed'), 'payload');
  return payload === '' ? [] : [payload];
}

const ADMISSIONS: Readonly<Record<string, 'command' | 'plan'>> = {
  admitCommand: 'command',
  admitRevision: 'plan',
};

async function answeredBy(
  activity: HistoryActivity | undefined,
  read: ReadPayload,
): Promise<Fact | null> {
  const of = ADMISSIONS[activity?.name ?? ''];
  if (activity === undefined || of === undefined) return null;
  const asked = await read(firstPayload(member(activity.scheduled, 'input')));
  const answer = await read(firstPayload(activity.result));
  const isAdmitted = textIn(answer, 'kind') === 'admitted';
  const principal = textIn(answer, 'principal');
  const isGlassBroken = textIn(answer, 'note') !== '';
  return { kind: 'admission', of, asked, principal, isAdmitted, isGlassBroken };
}
