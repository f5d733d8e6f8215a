import process from 'node:process';
import { EXIT_CODES } from './exit-status.js';

/** What ends a command in good order: Ctrl-C, a service manager, and a terminal that goes away. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface ReceivedSignal {
  readonly signal: string;
  readonly atMs: number;
}

/** One interruption comes twice where a terminal signals all of its processes and the one above passes it on, as `demo` and npm do. */
const PASSED_ON_WITHIN_MS = 2_000;
/** The same signal twice, faster than anyone types. */
const ECHOED_WITHIN_MS = 250;

/** Whether a second signal means that the graceful end takes too long. */
export function forcesExit(first: ReceivedSignal, next: ReceivedSignal): boolean {
  const within = first.signal === next.signal ? ECHOED_WITHIN_MS : PASSED_ON_WITHIN_MS;
  return next.atMs - first.atMs >= within;
}

/** Aborts on the first signal, and ends this process on a second one. */
export function interruptOnSignals(interruption: AbortController): void {
  let first: ReceivedSignal | null = null;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const received = { signal, atMs: performance.now() };
      if (first !== null && forcesExit(first, received)) process.exit(EXIT_CODES.interrupted);
      first ??= received;
      interruption.abort(new Error(`received ${signal}`));
    });
  }
}
