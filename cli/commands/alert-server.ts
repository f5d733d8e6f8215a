import type { Client } from '@temporalio/client';
import { once } from 'node:events';
import { plainJson } from '../../domain/findings/plain-text.js';
import { redact } from '../../domain/redaction.js';
import type { Cli } from '../cli.js';
import { isText } from '../cli.js';
import { signerOf } from '../authority/signing-key.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { withLazyTemporal } from '../runs/connection.js';
import { openEventSender, type EventSender } from '../server/events/send-event.js';
import { eventMetrics } from '../server/events/event-metrics.js';
import { tellEvents, type EventTeller } from '../server/events/tell-events.js';
import { watchRuns } from '../server/events/watch-runs.js';
import { SERVER_SIGNS_WITHIN_MS } from '../server/signed-in-time.js';
import { serveHooks, type HookServerParts } from '../server/hook-server.js';
import { listenPlace, pemFile } from '../server/listen-place.js';
import type { UidOf } from '../server/reach-runs.js';
import { openTokenFile } from '../server/token-file.js';

/** `server`: takes alerts, pauses or rolls back what they name, and tells what happens to runs, until it is stopped. */
export async function alertServer(cli: Cli): Promise<ExitStatus> {
  const { tls, ...address } = await listenPlace(cli);
  const tokens = cli.options.text('tokens');
  if (tokens === null)
    throw new UsageError('--tokens is required: a file of kind AutomationTokens');
  const clock = Date.now;
  const tokenFile = await openTokenFile(tokens, clock).catch((error: unknown) => {
    throw new UsageError(`--tokens ${error instanceof Error ? error.message : String(error)}`);
  });
  const uidOf = await pinnedUids(cli.options.texts('file'));
  const sender = await eventSender(cli);
  const signer = await signerOf(cli, SERVER_SIGNS_WITHIN_MS);
  return withLazyTemporal<ExitStatus>(cli, async (client, single) => {
    const log: HookServerParts['log'] = (level, fields) => {
      const at = new Date(clock()).toISOString();
      cli.terminal.err(`${redact(plainJson({ level, at, ...fields }))}\n`);
    };
    let teller: EventTeller | null = null;
    const parts = {
      ...{ client, single, uidOf, clock, turns: new Map(), tokenFile, tls, log },
      patienceMs: PATIENCE_MS,
      ...(signer === null ? {} : { signer }),
      eventMetrics: () => (teller === null ? '' : eventMetrics(teller.figures())),
    };
    const served = await serveHooks(address, parts);
    if (sender !== null) teller = tellRuns(cli, single, { sender, log });
    tellReady(cli, `${tls === null ? 'http' : 'https'}://${served.address}`);
    if (!cli.signal.aborted) await once(cli.signal, 'abort');
    await Promise.all([served.close(), teller?.ended]);
    return 'reached';
  });
}

/** Null without a receiver. */
async function eventSender({ options }: Cli): Promise<EventSender | null> {
  const [url, keyFile] = [options.text('eventsTo'), options.text('eventsKey')];
  const caFile = options.text('eventsCa');
  if (url === null && keyFile === null && caFile === null) return null;
  if (url === null || keyFile === null) {
    throw new UsageError('--events-to and --events-key must be given together');
  }
  const ca = caFile === null ? null : (await pemFile('--events-ca', caFile)).toString('utf8');
  const target = { url, keyFile, ca, source: '/ccm-migrate', clock: Date.now };
  return openEventSender(target).catch((error: unknown) => {
    throw new UsageError(`--events-to: ${error instanceof Error ? error.message : String(error)}`);
  });
}

function tellRuns(
  { signal }: Cli,
  client: Client,
  by: { readonly sender: EventSender; readonly log: HookServerParts['log'] },
): EventTeller {
  return tellEvents({ ...by, signal, clock: Date.now, watch: watchRuns(client, signal) });
}

/** Senders wait for ten seconds; a brake is stored, or asked for again, long before. */
const PATIENCE_MS = 950;

function tellReady(cli: Cli, url: string): void {
  const line = isText(cli)
    ? `${cli.theme.mark('ok')} listens at ${url}: POST /v1/hooks/{alertmanager,grafana,generic}, GET /livez, /readyz, /metrics`
    : JSON.stringify({ type: 'ready', pid: process.pid, url });
  cli.terminal.out(`${line}\n`);
}

/** Where inventories pin UIDs, a cluster's name leads to its run without the search index. */
async function pinnedUids(files: readonly string[]): Promise<UidOf> {
  if (files.length === 0) return () => null;
  const { loadInventories } = await import('../../config/loaded-inventories.js');
  const clusters = await loadInventories(files);
  const uids = new Map(clusters.map(({ name, uid }) => [name, uid]));
  return (name) => uids.get(name) ?? null;
}
