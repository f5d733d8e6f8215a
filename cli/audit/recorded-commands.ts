import type { LoadedDataConverter } from '@temporalio/common';
import { MESSAGES } from '../../config/names.js';
import { type OperatorCommand, readCommand } from '../../domain/run/operator-command.js';
import { member } from '../read-json.js';
import type { HistoryActivity } from './history-activities.js';
import { eventsOf, firstPayload, reportedOutcome, startEvent, textIn } from './history-facts.js';
import type { ReadPayload } from './read-executions.js';

/** What a history records of commands. Times are the server's, in epoch ms. */
export type RecordedCommandEvent =
  /** An execution of the run began; null where it does not say when. */
  | { readonly kind: 'began'; readonly atMs: number | null }
  /** A command arrived that the run could read. `atMs`: when the run heard of it. */
  | { readonly kind: 'command'; readonly command: OperatorCommand; readonly atMs: number }
  /** A worker said whose a command is, before which it has no effect. */
  | {
      readonly kind: 'admission';
      readonly commandId: string;
      readonly isAdmitted: boolean;
      readonly byAutomation: boolean;
    }
  /** Ids of commands that the run says with its outcome that it refused. */
  | { readonly kind: 'refusals'; readonly commandIds: readonly string[] };

type Fact<Kind extends RecordedCommandEvent['kind']> = RecordedCommandEvent & {
  readonly kind: Kind;
};

export function beganOf(history: unknown): Fact<'began'> {
  const atMs = timeOf(startEvent(history));
  return { kind: 'began', atMs: Number.isNaN(atMs) ? null : atMs };
}

/** Null for an event that is no command, or one that no run can read. */
export async function recordedCommand(
  event: unknown,
  heardAtMs: ReadonlyMap<string, number>,
  read: ReadPayload,
): Promise<Fact<'command'> | null> {
  const signal = member(event, 'workflowExecutionSignaledEventAttributes');
  if (textIn(signal, 'signalName') !== MESSAGES.command) return null;
  const sent = readCommand(await read(firstPayload(member(signal, 'input'))));
  if (sent.kind === 'malformed') return null;
  const atMs = heardAtMs.get(textIn(event, 'eventId')) ?? timeOf(event);
  return { kind: 'command', command: sent.command, atMs };
}

/** By the id of each event, when the workflow heard of it: as the next of its tasks that completed was started. */
export function hearingTimes(history: unknown): ReadonlyMap<string, number> {
  const events = eventsOf(history);
  const completed = new Set(
    events.map((event) =>
      textIn(member(event, 'workflowTaskCompletedEventAttributes'), 'startedEventId'),
    ),
  );
  const times = new Map<string, number>();
  let heardAtMs: number | null = null;
  for (const event of [...events].reverse()) {
    const id = textIn(event, 'eventId');
    if (completed.has(id)) heardAtMs = timeOf(event);
    if (heardAtMs !== null) times.set(id, heardAtMs);
  }
  return times;
}

export async function recordedAdmission(
  { scheduled, result }: HistoryActivity,
  read: ReadPayload,
): Promise<Fact<'admission'>> {
  const asked = await read(firstPayload(member(scheduled, 'input')));
  const answer = await read(firstPayload(result));
  return {
    kind: 'admission',
    commandId: textIn(member(asked, 'command'), 'commandId'),
    isAdmitted: textIn(answer, 'kind') === 'admitted',
    byAutomation: member(answer, 'byAutomation') === true,
  };
}

/** Null where an execution did not end with an outcome. */
export async function refusalsOf(
  history: unknown,
  converter: LoadedDataConverter,
): Promise<Fact<'refusals'> | null> {
  const reported = await reportedOutcome(history, converter);
  if (reported.kind !== 'reported') return null;
  const answers = member(reported.outcome, 'answers');
  const all = typeof answers === 'object' && answers !== null ? Object.entries(answers) : [];
  const refused = all.filter(([, answer]) => textIn(answer, 'state') === 'refused');
  return { kind: 'refusals', commandIds: refused.map(([id]) => id) };
}

function timeOf(event: unknown): number {
  return Date.parse(textIn(event, 'eventTime'));
}
