import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActivityClock } from '../../activities/dependencies.js';
import { createVirtualClock } from '../../testbed/simulator/clock/virtual-clock.js';
import type { VirtualClock } from '../../testbed/simulator/model.js';

/**
 * Simulated time for a cluster and the activities on it, in one process. It advances when all participants sleep, to the first of their
 * wakings; requests take none of it. So minutes pass in a second, the same on a busy machine.
 */
export interface VirtualTime {
  readonly clock: VirtualClock;
  readonly activityClock: ActivityClock;
  /** Runs one of several lines of work that happen at the same time. */
  takePart<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

const IDLE_MS = 50;

interface Sleeper {
  readonly wakeMs: number;
  readonly wake: () => void;
}

export function createVirtualTime(): VirtualTime {
  const clock = createVirtualClock(Math.floor(Date.now() / 1000) * 1000);
  const parts = new AsyncLocalStorage<symbol>();
  const awake = new Set<symbol>();
  const sleepers = new Set<Sleeper>();

  const move = (): void => {
    const [first] = [...sleepers].sort((a, b) => a.wakeMs - b.wakeMs);
    if (awake.size > 0 || first === undefined) return;
    clock.advanceBy(Math.max(0, first.wakeMs - clock.nowMs()));
    first.wake();
  };
  const fallAsleep = (part: symbol | undefined): void => {
    if (part !== undefined) awake.delete(part);
    setImmediate(move);
  };
  const wakeUp = (part: symbol | undefined): void => {
    if (part !== undefined) awake.add(part);
  };

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const part = parts.getStore();
      const end = (settle: () => void): void => {
        sleepers.delete(sleeper);
        signal?.removeEventListener('abort', onAbort);
        wakeUp(part);
        settle();
      };
      const onAbort = (): void => {
        const reason: unknown = signal?.reason;
        end(() => {
          reject(reason instanceof Error ? reason : new Error('aborted'));
        });
      };
      const wake = (): void => {
        end(resolve);
      };
      const sleeper: Sleeper = { wakeMs: clock.nowMs() + Math.max(0, ms), wake };
      if (signal?.aborted === true) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      sleepers.add(sleeper);
      fallAsleep(part);
    });

  // Awaiting only another line's end puts no line to sleep.
  const idle = setInterval(move, IDLE_MS);

  return {
    clock,
    stop: () => {
      clearInterval(idle);
    },
    activityClock: { nowMs: () => clock.nowMs(), sleep },
    takePart: (work) => {
      const part = Symbol('part');
      awake.add(part);
      return parts.run(part, work).finally(() => {
        fallAsleep(part);
      });
    },
  };
}
