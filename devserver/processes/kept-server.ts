import { setTimeout as sleep } from 'node:timers/promises';
import type { DevServer, DevServerOptions } from '../start-dev-server.js';
import { isStopping } from './keep-alive.js';
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
 * A dev server that is restarted at the same address and on the same database whenever its process dies. Needs a
 * database file: without one a new server has no runs.
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
      report(`the Temporal server (pid ${current.pid}) died; starting it again at ${address}`);
      current = await startDevServer({ ...options, ...places });
      report(`the Temporal server runs again (pid ${current.pid})`);
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
    // Not referenced: the watch alone must not keep this process alive.
    await sleep(POLL_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (!isGone() || isStopping(signal)) continue;
    await restart().catch(async (error: unknown) => {
      report(`it could not be started: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    });
  }
}

async function stopServer(server: DevServer): Promise<void> {
  if (isAlive(server.pid)) await server.stop();
}

/** Signal 0 tests whether the process exists. */
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
