import { setTimeout as sleep } from 'node:timers/promises';
import { createOutbox, type OutboxFigures, type OutboxParts } from './outbox.js';
import type { EventSender } from './send-event.js';
import type { RunWatch } from './watch-runs.js';

export interface EventTelling extends OutboxParts {
  readonly watch: RunWatch;
  readonly sender: EventSender;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

export interface EventTeller {
  readonly figures: () => OutboxFigures;
  /** After the signal: resolves when nothing is under way. */
  readonly ended: Promise<void>;
}

const EVERY_MS = 5_000;
/** How long after its end a run's events are sent again by a server that has just started. */
const CATCH_UP_MS = 24 * 60 * 60 * 1000;
const LONGEST_BACK_OFF_MS = 60_000;

/**
 * Reads runs and sends what happened to them, until it is stopped. Runs know nothing of it. Reading and sending do not wait for
 * each other: what happens while a receiver is away is kept.
 */
export function tellEvents(telling: EventTelling): EventTeller {
  const { watch, sender, signal, log, clock, everyMs = EVERY_MS } = telling;
  const outbox = createOutbox(telling);
  const read = async (): Promise<number> => {
    try {
      outbox.add(await watch.read(clock() - CATCH_UP_MS));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      log('warn', { message: 'runs could not be read for events', detail });
    }
    return everyMs;
  };
  let backOffMs = everyMs;
  const send = async (): Promise<number> => {
    const isThere = await outbox.drain(async (event) =>
      signal.aborted ? { kind: 'later', detail: 'the server ends' } : sender.send(event),
    );
    backOffMs = isThere ? everyMs : Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
    return isThere ? Math.min(everyMs, 500) : backOffMs;
  };
  const ended = Promise.all([again(read, signal), again(send, signal)]);
  return { figures: outbox.figures, ended: ended.then(() => sender.close()) };
}

async function again(work: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const restMs = await work();
    await sleep(restMs, null, { signal }).catch(() => undefined);
  }
}
