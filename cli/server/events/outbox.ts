import type { OutgoingEvent } from '../../../domain/automation/run-events.js';
import type { EventAttempt } from './send-event.js';

/** Events that wait for their receiver, and which ones were seen. In memory alone: what is lost is read again. */
export interface Outbox {
  /** Adds those that were not added before. */
  readonly add: (events: readonly OutgoingEvent[]) => void;
  /** Sends what waits, the oldest first. False where the receiver is away, so that the rest waits. */
  readonly drain: (send: (event: OutgoingEvent) => Promise<EventAttempt>) => Promise<boolean>;
  readonly figures: () => OutboxFigures;
}

export interface OutboxFigures {
  readonly delivered: number;
  /** The receiver said that it never accepts them. */
  readonly refused: number;
  /** Given up because too many waited. */
  readonly dropped: number;
  /** Age of what has waited longest. */
  readonly oldestSeconds: number;
}

export interface OutboxParts {
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn', fields: Readonly<Record<string, unknown>>) => void;
  readonly mostWaiting?: number;
}

const MOST_WAITING = 10_000;
/** More than stand at once: one that is forgotten is sent twice. */
const MOST_SEEN = 100_000;

export function createOutbox({ clock, log, mostWaiting = MOST_WAITING }: OutboxParts): Outbox {
  const seen = new Set<string>();
  const waiting = new Map<string, { readonly event: OutgoingEvent; readonly sinceMs: number }>();
  const counts = { delivered: 0, refused: 0, dropped: 0 };
  const takeOff = (id: string, as: keyof typeof counts): void => {
    if (waiting.delete(id)) counts[as] += 1;
  };
  return {
    add: (events) => {
      for (const event of events) {
        const isNew = !seen.delete(event.id);
        seen.add(event.id);
        if (isNew) waiting.set(event.id, { event, sinceMs: clock() });
      }
      for (const id of oldestOf(seen, seen.size - MOST_SEEN)) seen.delete(id);
      const tooMany = waiting.size - mostWaiting;
      if (tooMany > 0) log('warn', { message: 'events are dropped', dropped: tooMany });
      for (const id of oldestOf(waiting.keys(), tooMany)) takeOff(id, 'dropped');
    },
    drain: async (send) => {
      for (const { event } of [...waiting.values()]) {
        const { kind, detail } = await send(event);
        const { id, kind: what, run } = event;
        const line = { event: id, what, run: run.workflowId, outcome: kind, detail };
        log(kind === 'delivered' ? 'info' : 'warn', line);
        if (kind === 'later') return false;
        takeOff(id, kind);
      }
      return true;
    },
    figures: () => {
      const [oldest] = waiting.values();
      const oldestSeconds = oldest === undefined ? 0 : (clock() - oldest.sinceMs) / 1000;
      return { ...counts, oldestSeconds };
    },
  };
}

function oldestOf(ids: Iterable<string>, count: number): readonly string[] {
  return count > 0 ? [...ids].slice(0, count) : [];
}
