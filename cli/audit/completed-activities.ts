import { member } from '../read-json.js';
import { eventsOf, textIn } from './history-facts.js';

/** What an activity was given and returned, as the history carries it. */
export interface Completed {
  readonly where: string;
  readonly runId: string;
  readonly activity: string;
  readonly activityId: string;
  readonly input: unknown;
  readonly result: unknown;
}

export interface Execution {
  readonly runId: string;
  readonly history: unknown;
}

/** What completed in the executions of a run, and what no workflow would have recorded so. */
export interface CompletedActivities {
  readonly completed: readonly Completed[];
  readonly faults: readonly string[];
}

export function completedActivities(executions: readonly Execution[]): CompletedActivities {
  const read = executions.map((execution, index) => {
    const reader = new ActivityReader(`execution ${String(index + 1)}`, execution.runId);
    for (const event of eventsOf(execution.history)) reader.take(event);
    return reader;
  });
  return {
    completed: read.flatMap(({ completed }) => completed),
    faults: read.flatMap(({ faults }) => faults),
  };
}

const ENDINGS = ['Completed', 'Failed', 'TimedOut', 'Canceled'] as const;
/** Of the server: ids count from 1. No other spelling of a number, and none that a program cannot hold. */
const ACTIVITY_ID = /^[1-9][0-9]{0,14}$/;

/**
 * A workflow asks in the order of the ids, so one that was asked for twice, or after a later one, was moved. Each ends at most
 * once, however it ends, and nothing ends that was not asked for.
 */
class ActivityReader {
  readonly completed: Completed[] = [];
  readonly faults: string[] = [];
  readonly #execution: string;
  readonly #runId: string;
  readonly #scheduled = new Map<string, unknown>();
  readonly #ended = new Set<string>();
  #last = 0;

  constructor(execution: string, runId: string) {
    this.#execution = execution;
    this.#runId = runId;
  }

  take(event: unknown): void {
    const where = `${this.#execution}, event ${textIn(event, 'eventId')}`;
    const asked = member(event, 'activityTaskScheduledEventAttributes');
    if (asked !== undefined) this.#begin(where, textIn(event, 'eventId'), asked);
    for (const ending of ENDINGS) {
      const ended = member(event, `activityTask${ending}EventAttributes`);
      if (ended !== undefined) this.#end(where, ending, ended);
    }
  }

  #begin(where: string, eventId: string, asked: unknown): void {
    const id = textIn(asked, 'activityId');
    const isNext = ACTIVITY_ID.test(id) && Number(id) > this.#last;
    if (!isNext) this.faults.push(`${where}: activity ${id} is out of order`);
    if (this.#scheduled.has(eventId)) this.faults.push(`${where}: an event has this id already`);
    this.#last = Number(id);
    this.#scheduled.set(eventId, asked);
  }

  #end(where: string, ending: (typeof ENDINGS)[number], ended: unknown): void {
    const scheduledId = textIn(ended, 'scheduledEventId');
    const asked = this.#scheduled.get(scheduledId);
    if (asked === undefined) {
      this.faults.push(`${where}: nothing asked for it`);
      return;
    }
    const activityId = textIn(asked, 'activityId');
    if (this.#ended.has(scheduledId))
      this.faults.push(`${where}: activity ${activityId} ends twice`);
    this.#ended.add(scheduledId);
    if (ending !== 'Completed') return;
    this.completed.push({
      ...{ where, runId: this.#runId, activityId },
      activity: textIn(member(asked, 'activityType'), 'name'),
      ...{ input: member(asked, 'input'), result: member(ended, 'result') },
    });
  }
}
