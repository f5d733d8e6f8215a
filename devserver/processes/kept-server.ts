import { setTimeout as sleep } from 'node:timers/promises';
import type { DevServer, DevServerOptions } from '../start-dev-server.js';
import { startDevServer } from '../start-dev-server.js';

export interface KeptServer {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  pid(): number;
  stop(): Promise<void>;
}

const POLL_EVERY_MS = 500;
const PAUSE_MS = 1_000;

/**
 * A dev server that is started again at the same address and on the same database whenever its process is gone.
 * Needs a database file: without one a new server knows no run.
 */
export async function keepServer(
  options: DevServerOptions & { readonly dbFile: string },
  report: (line: string) => void,
): Promise<KeptServer> {
  let current = await startDevServer(options);
  const { address, namespace, uiUrl } = current;
  const places = { port: portOf(address), ...(uiUrl === null ? {} : { uiPort: portOf(uiUrl) }) };
  const stopping = new AbortController();
  const watching = watch({
    signal: stopping.signal,
    isGone: () => !isAlive(current.pid),
    restart: async () => {
      report(`the Temporal server (pid ${current.pid}) is gone; starting it again at ${address}`);
      current = await startDevServer({ ...options, ...places });
      report(`the Temporal server is back (pid ${current.pid})`);
    },
    report,
  });
  return {
    address,
    namespace,
    uiUrl,
    pid: () => current.pid,
    stop: async () => {
      stopping.abort();
      await watching;
      await stopServer(current);
    },
  };
}

interface Watch {
  readonly signal: AbortSignal;
  readonly isGone: () => boolean;
  readonly restart: () => Promise<void>;
  readonly report: (line: string) => void;
}

async function watch({ signal, isGone, restart, report }: Watch): Promise<void> {
  while (!signal.aborted) {
    // Not referenced: a watch alone is no reason for this process to live on.
    await sleep(POLL_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (!isGone() || hasStopped(signal)) continue;
    await restart().catch(async (error: unknown) => {
      report(`it could not be started: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    });
  }
}

/** Read anew after each wait: the compiler believes that it cannot have changed. */
function hasStopped(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function stopServer(server: DevServer): Promise<void> {
  if (isAlive(server.pid)) await server.stop();
}

/** Signal 0 asks whether the process is there. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function portOf(address: string): number {
  return Number(address.split(':').at(-1));
}
