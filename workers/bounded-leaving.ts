import type { Logger } from 'pino';

/** What a process of ours is told: the terminal's and the service manager's way. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export interface Leaving {
  /**
   * From now on there are steps to bring to their end; before, a signal ends the process at once. `go` begins the orderly
   * way, which may take `withinMs`.
   */
  serves(go: () => void, withinMs: number): void;
}

/**
 * A worker that is told to go does go, also when Temporal is away or stands still: the SDK alone would wait for
 * its server (30 s and more, measured), and whoever told it kills it then in the middle of something.
 */
export function boundLeaving(log: Logger): Leaving {
  let serving: { readonly go: () => void; readonly withinMs: number } | null = null;
  const leave = (why: string, code: number): void => {
    log.warn(why);
    process.exit(code);
  };
  const onSignal = (signal: string): void => {
    if (serving === null) return leave(`${signal} before it served anything: leaves at once`, 0);
    const { go, withinMs } = serving;
    const late = `Temporal did not answer within ${String(withinMs)} ms of ${signal}: leaves without its goodbye; the next worker looks before it goes on`;
    // Not referenced: the orderly way ends the process earlier.
    setTimeout(() => leave(late, 1), withinMs).unref();
    go();
  };
  // Stays for good: without a listener a second signal would kill in the middle of a step.
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    serves: (go, withinMs) => {
      serving = { go, withinMs };
    },
  };
}
