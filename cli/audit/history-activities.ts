import { member } from '../read-json.js';
import { eventsOf, textIn } from './history-facts.js';

/** An activity as a history has it; what it was given and returned is still encoded. */
export interface HistoryActivity {
  readonly name: string;
  /** Attributes of the event that asked for it. */
  readonly scheduled: unknown;
  readonly result: unknown;
  /** Why it ended badly; undefined otherwise. */
  readonly failure: unknown;
  readonly ended: 'well' | 'badly' | 'open';
  /** Times of the server, as they are written; `endedAt` is empty while it is open. */
  readonly askedAt: string;
  readonly endedAt: string;
}

export interface HistoryActivities {
  /** By the id of the event that scheduled them. */
  readonly begun: ReadonlyMap<string, HistoryActivity>;
  /** Completed ones, by the id of the event that completed them. */
  readonly ended: ReadonlyMap<string, HistoryActivity>;
}

/** All activities of one execution, each with how it ended. */
export function activitiesOf(history: unknown): HistoryActivities {
  const begun = new Map<string, HistoryActivity>();
  const ended = new Map<string, HistoryActivity>();
  for (const event of eventsOf(history)) {
    const scheduled = member(event, 'activityTaskScheduledEventAttributes');
    const at = textIn(event, 'eventTime');
    if (scheduled !== undefined) {
      const name = textIn(member(scheduled, 'activityType'), 'name');
      begun.set(textIn(event, 'eventId'), { name, scheduled, askedAt: at, ...OPEN });
    }
    for (const ending of ['Completed', 'Failed', 'TimedOut', 'Canceled']) {
      const attributes = member(event, `activityTask${ending}EventAttributes`);
      const id = textIn(attributes, 'scheduledEventId');
      const activity = begun.get(id);
      if (activity === undefined) continue;
      const well = ending === 'Completed';
      const over = {
        ...activity,
        result: member(attributes, 'result'),
        failure: well ? undefined : (member(attributes, 'failure') ?? { message: ending }),
        ended: well ? ('well' as const) : ('badly' as const),
        endedAt: at,
      };
      begun.set(id, over);
      if (well) ended.set(textIn(event, 'eventId'), over);
    }
  }
  return { begun, ended };
}

const OPEN = { result: undefined, failure: undefined, ended: 'open', endedAt: '' } as const;
