import type { ActivityScope } from './dependencies.js';

/** A scope that heartbeats by itself, and how to stop it. */
export interface KeptAlive {
  readonly scope: ActivityScope;
  stop(): void;
}

/**
 * Repeats the last heartbeat while an activity waits: for a machine, a long request, the next sample of a soak. A heartbeat
 * of the activity itself postpones the repetition. Every request has a deadline, so a hanging attempt still ends. Before its
 * own first heartbeat it repeats that of the previous attempt, so that no state is lost.
 */
export function keepAlive(scope: ActivityScope, heartbeatMs: number): KeptAlive {
  let last = scope.lastHeartbeat;
  const timer = setInterval(() => {
    scope.heartbeat(last);
  }, heartbeatMs / 3);
  timer.unref();
  return {
    scope: {
      signal: scope.signal,
      lastHeartbeat: scope.lastHeartbeat,
      heartbeat: (details) => {
        last = details;
        timer.refresh();
        scope.heartbeat(details);
      },
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
