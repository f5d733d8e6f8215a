import type { ActivityScope } from './dependencies.js';

/** A scope that heartbeats by itself, and how to stop it. */
export interface KeptAlive {
  readonly scope: ActivityScope;
  stop(): void;
}

/**
 * Repeats the last heartbeat while an activity waits: for a machine, a long request, the next sample of a soak. One that
 * the activity has just sent itself puts that off.
 * Every request has a deadline, so an attempt that hangs still ends. Before the first heartbeat of its own it repeats
 * that of the attempt before, so that nothing remembered is lost.
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
