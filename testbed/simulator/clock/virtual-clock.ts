import type { VirtualClock } from '../model.js';
import { TimerQueue } from './timer-queue.js';

/** Time that advances only on request: hours of cluster life in a second, identical every time. */
export function createVirtualClock(startMs = Date.UTC(2024, 4, 1)): VirtualClock {
  const queue = new TimerQueue();
  let nowMs = startMs;

  const runUntil = (endMs: number): boolean => {
    const due = queue.takeDue(endMs);
    if (due === undefined) return false;
    nowMs = Math.max(nowMs, due.dueMs);
    due.run();
    return true;
  };

  return {
    nowMs: () => nowMs,
    schedule: (delayMs, run) => queue.add(nowMs + Math.max(0, Math.round(delayMs)), run),
    advanceBy(ms) {
      const endMs = nowMs + ms;
      while (runUntil(endMs));
      nowMs = endMs;
    },
    advanceUntil(holds, limitMs) {
      const endMs = nowMs + limitMs;
      while (!holds()) {
        if (runUntil(endMs)) continue;
        nowMs = endMs;
        return holds();
      }
      return true;
    },
  };
}
