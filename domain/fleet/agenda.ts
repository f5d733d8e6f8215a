import { firstWhere } from './first-where.js';
import type { FleetEvent } from './fleet-events.js';
import type { PendingEvent } from './simulated-member.js';

/** What is to come in a simulation, in the order of time and then of its becoming known. */
export interface Agenda {
  readonly add: (events: readonly PendingEvent[]) => void;
  /** Takes the next one, unless it comes after a time; null then, and where there is none. */
  readonly takeBefore: (atMs: number) => FleetEvent | null;
}

export function newAgenda(events: readonly PendingEvent[]): Agenda {
  /** The next one is the last of the list, which costs nothing to take. */
  const pending: PendingEvent[] = [];
  const add = (more: readonly PendingEvent[]): void => {
    for (const each of more) {
      const place = firstWhere(pending, ({ event }) => event.atMs <= each.event.atMs);
      pending.splice(place, 0, each);
    }
  };
  add(events);
  return {
    add,
    takeBefore: (atMs) => {
      for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
        if (isVoid(next)) pending.pop();
        else return next.event.atMs > atMs ? null : taken(pending, next);
      }
      return null;
    },
  };
}

function taken(pending: PendingEvent[], { event }: PendingEvent): FleetEvent {
  pending.pop();
  return event;
}

/** What followed from an order that another one has replaced. */
function isVoid({ of }: PendingEvent): boolean {
  return of !== null && of.member.orders !== of.order;
}
