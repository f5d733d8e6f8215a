import type { ActivitySlotInfo, CustomSlotSupplier, SlotPermit } from '@temporalio/worker';
import type { GuardGate } from './loop-meter.js';

interface Waiting {
  readonly take: (permit: SlotPermit) => void;
}

/**
 * The slots of guards: at most so many, and none while the loop of this process is too busy. The SDK reserves a slot before it asks the server for
 * a task, so that a guard which gets none stays in the queue, where another worker may take it, just as with a worker that is full. What
 * was asked for before still comes.
 */
export function guardSlots(slots: number, gate: GuardGate): CustomSlotSupplier<ActivitySlotInfo> {
  const waiting = new Set<Waiting>();
  let taken = 0;

  const tryReserveSlot = (): SlotPermit | null => {
    if (taken >= slots || !gate.admits()) return null;
    taken += 1;
    return {};
  };
  const serve = (): void => {
    for (const each of waiting) {
      const permit = tryReserveSlot();
      if (permit === null) return;
      waiting.delete(each);
      each.take(permit);
    }
  };
  const release = (): void => {
    taken -= 1;
    serve();
  };
  const reserveSlot = (_: unknown, signal: AbortSignal): Promise<SlotPermit> =>
    new Promise((resolve, reject) => {
      const one: Waiting = { take: resolve };
      // The SDK aborts only what it has not received: a slot that was on its way is given back.
      const abort = (): void => {
        if (!waiting.delete(one)) release();
        reject(reasonOf(signal));
      };
      waiting.add(one);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      serve();
    });
  gate.onAdmitting(serve);
  const markSlotUsed = (): void => undefined;
  return { type: 'custom', reserveSlot, tryReserveSlot, markSlotUsed, releaseSlot: release };
}

/** The SDK knows its own reason and logs any other as a mistake. */
function reasonOf({ reason }: AbortSignal): Error {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the SDK compares it with the reason itself
  return reason as Error;
}
