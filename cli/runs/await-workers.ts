import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptServer } from '../../devserver/processes/kept-server.js';
import type { Cli } from '../cli.js';
import { withServer } from './connection.js';
import { unservedFleetQueues } from './queue-pollers.js';

/** Workers on a busy machine take this long to start. One that cannot start is told of; the rest serves without it. */
const START_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 250;

/**
 * Waits until workers poll every queue of these regions, so that who reads that the server is ready can apply at once.
 * Says which queues have none when the time is up. Rejects never: a server that does not answer yet is asked again.
 */
export async function awaitWorkers(
  cli: Cli,
  { address, namespace }: Pick<KeptServer, 'address' | 'namespace'>,
  { regions, logs }: { readonly regions: readonly string[]; readonly logs: string },
): Promise<void> {
  const deadlineMs = Date.now() + START_WITHIN_MS;
  const at = { address, namespace, source: 'dev', namespaceSource: 'dev', found: false } as const;
  const ask = (): Promise<readonly string[] | null> =>
    withServer(at, cli.env, (client) => unservedFleetQueues(client, regions)).catch(() => null);
  while (!cli.signal.aborted) {
    const unserved = await ask();
    if (unserved?.length === 0) return;
    if (Date.now() >= deadlineMs) {
      const which = unserved === null ? 'the server does not say' : unserved.join(', ');
      cli.terminal.err(`no worker serves yet (${which}); its log is in ${logs}\n`);
      return;
    }
    await sleep(ASK_EVERY_MS, undefined, { signal: cli.signal }).catch(() => undefined);
  }
}
