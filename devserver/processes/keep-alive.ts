import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.js';

export interface KeptAlive {
  current(): Child;
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const STEADY_AFTER_MS = 60_000;

/** Restarts a process whenever it dies, with growing pauses, until it is stopped on purpose. */
export async function keepAlive(
  start: () => Promise<Child>,
  report: (line: string) => void,
): Promise<KeptAlive> {
  let current = await start();
  const stopping = new AbortController();
  const watch = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    while (!stopping.signal.aborted) {
      const startedAtMs = Date.now();
      const how = await current.ended;
      if (isStopping(stopping.signal)) return;
      if (Date.now() - startedAtMs > STEADY_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      report(`${current.name} ended (${how}); starting it again in ${pauseMs} ms`);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (isStopping(stopping.signal)) return;
      current = await start();
      report(`${current.name} runs again (pid ${current.pid})`);
      // `stop` may have been called while it was starting.
      if (isStopping(stopping.signal)) await current.stop();
    }
  };
  const watching = watch().catch((error: unknown) => {
    report(`${current.name} stays down: ${error instanceof Error ? error.message : String(error)}`);
  });
  return {
    current: () => current,
    stop: async () => {
      stopping.abort();
      await current.stop();
      await watching;
    },
  };
}

/** Re-read after each wait: the compiler assumes that it cannot have changed. */
export function isStopping(signal: AbortSignal): boolean {
  return signal.aborted;
}
