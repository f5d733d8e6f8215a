import type { Logger } from 'pino';

/** The signals that end a process of ours: the service manager's, the terminal's, and that of a terminal that goes away. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export interface Leaving {
  /**
   * From now on steps in flight must complete; before, a signal ends the process at once. `go` starts the graceful shutdown,
   * which may take `withinMs`.
   */
  serves(go: () => void, withinMs: number): void;
}

/**
 * A worker that gets a signal does exit, even when Temporal is unreachable or hangs: the SDK alone would wait for its server
 * (30 s and more, measured), and the service manager would then kill it in the middle of something.
 */
export function boundLeaving(log: Logger): Leaving {
  let serving: { readonly go: () => void; readonly withinMs: number } | null = null;
  const leave = (why: string, code: number): void => {
    log.warn(why);
    process.exit(code);
  };
  const onSignal = (signal: string): void => {
    if (serving === null) return leave(`${signal} before it served anything: exits at once`, 0);
    const { go, withinMs } = serving;
    const late = `Temporal did not answer within ${String(withinMs)} ms of ${signal}: exits without deregistering; the next worker observes before it continues`;
    // Unreferenced, because a graceful shutdown ends the process earlier.
    setTimeout(() => leave(late, 1), withinMs).unref();
    go();
  };
  // Stays registered: without a listener a second signal would kill the process in the middle of a step.
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    serves: (go, withinMs) => {
      serving = { go, withinMs };
    },
  };
}
