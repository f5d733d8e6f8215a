import type { AccountChange } from '../../../config/outputs/account-document.js';
import { isEvidenceRecord } from '../../../domain/evidence/lines.js';
import type { EvidenceIntent, EvidenceOutcome } from '../../../domain/evidence/record.js';
import { member } from '../../read-json.js';
import { textIn } from '../history-facts.js';
import type { DecodedActivity } from './decoded-run.js';

/** The changes of each activity, and those that the history gives to none. */
export interface PlacedChanges {
  readonly of: ReadonlyMap<DecodedActivity, readonly AccountChange[]>;
  readonly unplaced: readonly AccountChange[];
}

interface Recorded {
  /** Position in the chain. */
  readonly index: number;
  readonly change: AccountChange;
}

/**
 * Gives each intent to the activity that wrote it: one of its step and epoch, between what the chain held before it and after it,
 * by the history. Linear, whatever an export claims of its windows: each intent is taken at most once, in order.
 */
export function placedChanges(
  records: readonly unknown[],
  activities: readonly DecodedActivity[],
): PlacedChanges {
  const queues = queuesOf(records);
  const taken = new Set<Recorded>();
  const ends = windowEnds(activities);
  const of = new Map(
    activities.map((activity, at) => {
      const from = countIn(member(activity.input, 'evidence'), 'records') ?? 0;
      const queue = queues.get(keyOfActivity(activity));
      const own = queue === undefined ? [] : takenFrom(queue, { from, to: ends[at] ?? 0 });
      for (const each of own) taken.add(each);
      return [activity, own.map(({ change }) => change)] as const;
    }),
  );
  const all = [...queues.values()].flatMap(({ intents }) => intents);
  const rest = all.filter((each) => !taken.has(each)).sort((a, b) => a.index - b.index);
  return { of, unplaced: rest.map(({ change }) => change) };
}

/** The intents of one step and epoch, of which those before `next` are taken or passed over. */
interface Queue {
  readonly intents: Recorded[];
  next: number;
}

function takenFrom(queue: Queue, { from, to }: { from: number; to: number }): readonly Recorded[] {
  const firstAt = (index: number): number => {
    while ((queue.intents[queue.next]?.index ?? Infinity) < index) queue.next += 1;
    return queue.next;
  };
  return queue.intents.slice(firstAt(from), firstAt(to));
}

/**
 * Up to which record of the chain each activity may have written. One that ended well says so; one that did not wrote at most
 * what the next one found. Older workers do not say it: nothing is given to them by guess.
 */
function windowEnds(activities: readonly DecodedActivity[]): readonly number[] {
  const ends: number[] = [];
  let following = Infinity;
  for (let at = activities.length - 1; at >= 0; at -= 1) {
    const activity = activities[at];
    const own = activity === undefined ? null : reportedEndOf(activity);
    if (own !== null) following = own;
    ends[at] = own ?? (activity === undefined || wroteNothing(activity) ? 0 : following);
  }
  return ends;
}

function reportedEndOf({ result }: DecodedActivity): number | null {
  return countIn(member(result, 'evidence'), 'records') ?? countIn(result, 'evidenceRecords');
}

function wroteNothing({ ended, failure }: DecodedActivity): boolean {
  return ended === 'well' || member(failure?.details, 'wrote') === false;
}

function countIn(value: unknown, name: string): number | null {
  const count = member(value, name);
  return typeof count === 'number' ? count : null;
}

/** Fence and end of a run have no epoch beforehand. */
function keyOf(step: string, epoch: unknown): string {
  return step === 'takeFence' || step === 'closeRun' ? step : `${step} ${String(epoch)}`;
}

function keyOfActivity({ name, input }: DecodedActivity): string {
  const step = member(member(input, 'planned'), 'step');
  const epoch = member(input, 'epoch');
  return keyOf(
    name === 'executeStep' ? textIn(step, 'name') : name,
    typeof epoch === 'number' ? epoch : '',
  );
}

function queuesOf(records: readonly unknown[]): ReadonlyMap<string, Queue> {
  const outcomes = new Map<string, EvidenceOutcome>();
  for (const record of records) {
    if (!isEvidenceRecord(record) || record.entry.kind !== 'outcome') continue;
    outcomes.set(record.entry.intentId, record.entry.outcome);
  }
  const queues = new Map<string, Queue>();
  for (const [index, record] of records.entries()) {
    if (!isEvidenceRecord(record) || record.entry.kind !== 'intent') continue;
    const { intent } = record.entry;
    const key = keyOf(intent.step, intent.epoch);
    const queue = queues.get(key) ?? { intents: [], next: 0 };
    queue.intents.push({ index, change: changeOf(intent, outcomes.get(intent.id)) });
    queues.set(key, queue);
  }
  return queues;
}

function changeOf(intent: EvidenceIntent, outcome: EvidenceOutcome | undefined): AccountChange {
  const { at, verb, object, before, after, proof, diff = '' } = intent;
  const detail = outcome?.detail ?? '';
  return { at, verb, object, before, after, diff, outcome: outcomeOf(outcome), detail, proof };
}

/** A forged record may call it anything; what is not known ended in no known way. */
function outcomeOf(outcome: EvidenceOutcome | undefined): AccountChange['outcome'] {
  const kinds = ['applied', 'refused', 'foundApplied', 'foundNotApplied'] as const;
  return kinds.find((kind) => kind === outcome?.kind) ?? 'open';
}
