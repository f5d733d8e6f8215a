import type { RunEvent } from '../../domain/run/run-state.js';

/** Events in order of arrival, consumed one by one by the one loop. */
export interface Mailbox {
  readonly put: (event: RunEvent) => void;
  readonly take: () => Promise<RunEvent>;
}

export function openMailbox(): Mailbox {
  const events: RunEvent[] = [];
  let waiting: ((event: RunEvent) => void) | null = null;
  return {
    put: (event) => {
      if (waiting === null) {
        events.push(event);
        return;
      }
      const give = waiting;
      waiting = null;
      give(event);
    },
    take: () => {
      const first = events.shift();
      if (first !== undefined) return Promise.resolve(first);
      return new Promise((resolve) => (waiting = resolve));
    },
  };
}
