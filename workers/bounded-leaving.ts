import type { Logger } from 'pino';
import { LEAVE_WITHIN_MS } from './worker-options.js';

/** What a process of ours is told: the terminal's and the service manager's way. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export interface Leaving {
  /** From now on there are steps to bring to a safe point; before, a signal ends the process at once. */
  serves(): void;
}

/**
 * A worker that is told to go does go, also when Temporal is away or stands still: the SDK alone would wait for
 * its server (30 s and more, measured), and whoever told it kills it then in the middle of something.
 */
export function boundLeaving(log: Logger): Leaving {
  let isServing = false;
  const leave = (why: string, code: number): void => {
    log.warn(why);
    process.exit(code);
  };
  const onSignal = (signal: string): void => {
    if (!isServing) return leave(`${signal} before it served anything: leaves at once`, 0);
    const late = `Temporal did not answer within ${String(LEAVE_WITHIN_MS)} ms of ${signal}: leaves without its goodbye; the next worker looks before it goes on`;
    // Not referenced: the orderly way ends the process earlier.
    setTimeout(() => leave(late, 1), LEAVE_WITHIN_MS).unref();
  };
  // Stays for good: without a listener a second signal would kill in the middle of a step.
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    serves: () => {
      isServing = true;
    },
  };
}
