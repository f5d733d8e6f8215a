import { onAbort } from './on-abort.js';

/** The result of `work`, or `signal`'s reason as soon as it aborts; the work itself continues for other waiters. */
export async function raceAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = onAbort(signal, () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
    });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    leave();
  }
}
