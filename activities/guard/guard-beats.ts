import type { GuardMemory, RunTimings } from '../contract.js';
import type { ActivityClock, ActivityScope } from '../dependencies.js';
import { newsIn } from './guard-memory.js';

/**
 * The guard's heartbeats. Each costs the server about 3 ms (measured), whatever its content. So they are a third of the
 * timeout apart, less one round, unless owners, breaches or reachability have changed.
 */
export function openBeats(
  scope: ActivityScope,
  clock: ActivityClock,
  { heartbeatMs, guardMs }: RunTimings,
): (memory: GuardMemory) => void {
  let last: { readonly news: string; readonly atMs: number } | null = null;
  return (memory) => {
    const news = newsIn(memory);
    const nowMs = clock.nowMs();
    if (last?.news === news && nowMs - last.atMs < heartbeatMs / 3 - guardMs) return;
    last = { news, atMs: nowMs };
    scope.heartbeat(memory);
  };
}
