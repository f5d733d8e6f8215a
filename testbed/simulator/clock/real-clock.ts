import type { Clock } from '../model.js';
import { keepSteadyTime } from './steady-time.js';
import { TimerQueue } from './timer-queue.js';

export interface RealClock extends Clock {
  /** Cancels every timer, so that the process can exit. */
  stop(): void;
}

/** Longest delay that a Node.js timer accepts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** After this many calls in one turn, control returns to the event loop so that it can serve requests. */
const CALLS_PER_TURN = 500;

/**
 * Simulated time that follows the wall clock, `speed` times as fast, and stands still while its process does. All
 * clusters of a process share one queue and so one Node.js timer, even for thousands of clusters.
 */
export function createRealClock(speed = 1): RealClock {
  const queue = new TimerQueue();
  const originMs = Date.now();
  const time = keepSteadyTime();
  let timer: NodeJS.Timeout | undefined;
  let timerDueMs = Number.POSITIVE_INFINITY;
  let stopped = false;

  const nowMs = (): number => Math.floor(originMs + time.nowMs() * speed);

  const arm = (): void => {
    const dueMs = queue.nextDueMs();
    if (stopped || dueMs === undefined || dueMs >= timerDueMs) return;
    clearTimeout(timer);
    timerDueMs = dueMs;
    timer = setTimeout(turn, Math.min(LONGEST_TIMER_MS, Math.max(0, (dueMs - nowMs()) / speed)));
  };

  const turn = (): void => {
    timerDueMs = Number.POSITIVE_INFINITY;
    for (let calls = 0; calls < CALLS_PER_TURN; calls += 1) {
      const due = queue.takeDue(nowMs());
      if (due === undefined) break;
      due.run();
    }
    arm();
  };

  return {
    nowMs,
    schedule(delayMs, run) {
      const cancel = queue.add(nowMs() + Math.max(0, Math.round(delayMs)), run);
      arm();
      return cancel;
    },
    stop() {
      stopped = true;
      time.stop();
      clearTimeout(timer);
      queue.clear();
    },
  };
}
