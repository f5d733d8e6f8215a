/** Callbacks for the abort of one signal, behind the single listener registered on it. */
interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const WAITING = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back once when the signal is aborted; returns a function that unsubscribes. However many requests of one observation
 * wait on their caller's signal, it has a single listener, and none once the last of them has ended: Node warns of a leak
 * from the eleventh on (`events.defaultMaxListeners`), which fewer than five control-plane nodes already exceed. The caller
 * must have seen that the signal is not aborted yet.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  // Two callers may pass the same function, and each unsubscribes separately.
  const own = (): void => {
    callback();
  };
  const waiting = WAITING.get(signal) ?? listen(signal);
  waiting.callbacks.add(own);
  return () => {
    if (!waiting.callbacks.delete(own) || waiting.callbacks.size > 0) return;
    signal.removeEventListener('abort', waiting.listener);
    WAITING.delete(signal);
  };
}

function listen(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    WAITING.delete(signal);
    for (const callback of callbacks) callback();
    callbacks.clear();
  };
  const waiting = { callbacks, listener };
  WAITING.set(signal, waiting);
  signal.addEventListener('abort', listener, { once: true });
  return waiting;
}
