import { setTimeout as delay } from 'node:timers/promises';
import { onAbort } from '../on-abort.js';

/** One call's time limit, joined with its caller's cancellation. */
export interface Deadline {
  /** Aborts at the limit and on cancellation. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** True once the time limit, not the caller, ended the call. */
  expired(): boolean;
  /** Waits, or throws as soon as the call ends. */
  pause(ms: number): Promise<void>;
}

/**
 * Runs `act` until it settles, `timeoutMs` pass or `signal` aborts. A cancelled caller gets its own reason (Temporal's
 * CancelledFailure), so that cancellation is never mistaken for a failure. Not AbortSignal.any: on Node 20 it keeps every
 * composite alive as long as a long-lived source.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  act: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ends = performance.now() + timeoutMs;
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    controller.abort(new Error(`no answer in ${String(timeoutMs)} ms`));
  }, timeoutMs);
  const leave =
    signal === undefined
      ? undefined
      : onAbort(signal, () => {
          controller.abort(signal.reason);
        });
  try {
    return await act({
      signal: controller.signal,
      remainingMs: () => Math.max(0, ends - performance.now()),
      expired: () => expired,
      pause: async (ms) => {
        await delay(ms, undefined, { signal: controller.signal });
      },
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    leave?.();
  }
}
