import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import { unservedFleetQueues } from './queue-pollers.js';

/** Workers on a busy machine take this long to start. One that cannot start is told of; the rest serves without it. */
const START_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 250;

/**
 * Waits until workers poll every queue of these regions, so that who reads that the server is ready can apply at once.
 * Says which queues have none when the time is up. A server that does not answer for a moment is asked again.
 */
export async function awaitWorkers(
  { terminal, signal }: Pick<Cli, 'terminal' | 'signal'>,
  client: Client,
  { regions, logs }: { readonly regions: readonly string[]; readonly logs: string },
): Promise<void> {
  const deadlineMs = Date.now() + START_WITHIN_MS;
  while (!signal.aborted) {
    const unserved = await unservedFleetQueues(client, regions).catch(() => null);
    if (unserved?.length === 0) return;
    if (Date.now() >= deadlineMs) {
      const which = unserved === null ? 'the server does not say' : unserved.join(', ');
      terminal.err(`no worker serves yet (${which}); its log is in ${logs}\n`);
      return;
    }
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
