import { createHmac } from 'node:crypto';
import { verifyingAgent } from '../../../activities/adapters/credentials/transport.js';
import { errorCode } from '../../../activities/failures.js';
import { isLoopback } from '../../../config/host-port.js';
import { unreadable } from '../../../config/read-documents.js';
import type { OutgoingEvent } from '../../../domain/automation/run-events.js';
import { plainJson } from '../../../domain/findings/plain-text.js';
import { redact } from '../../../domain/redaction.js';
import { openRegular } from '../../../config/regular-file.js';

/** What became of one attempt. `refused`: this very event is unacceptable, and the same again would be, too. */
export interface EventAttempt {
  readonly kind: 'delivered' | 'refused' | 'later';
  readonly detail: string;
}

export interface EventSender {
  /** Never throws, and takes no longer than its deadline. */
  readonly send: (event: OutgoingEvent) => Promise<EventAttempt>;
  readonly close: () => Promise<void>;
}

export interface EventTarget {
  readonly url: string;
  readonly keyFile: string;
  /** PEM of the authorities of the receiver's certificate; null for those of the system. */
  readonly ca: string | null;
  /** `source` of the events: a URI reference. */
  readonly source: string;
  readonly clock: () => number;
}

const WITHIN_MS = 5_000;
/** Answers about the event itself. All others, 401 and 404 too, are about the receiver, and may be mended. */
const UNACCEPTABLE: readonly number[] = [400, 413, 415, 422];

/**
 * Sends events to one address by CloudEvents 1.0 (HTTP, structured mode), signed as Standard Webhooks describes. Redirects are
 * not followed, proxies of the environment are not used, and the key is read for each event, so that it can be exchanged.
 * @throws Error in plain words where address or key are wrong at the start
 */
export async function openEventSender(target: EventTarget): Promise<EventSender> {
  const url = checkedTarget(target.url);
  await readKey(target.keyFile);
  const agent = verifyingAgent(1, target.ca === null ? {} : { ca: target.ca });
  return {
    close: () => agent.destroy(),
    send: async (event) => {
      const key = await readKey(target.keyFile).catch(plainWords);
      if (typeof key === 'string') return { kind: 'later', detail: key };
      const body = bodyOf(target.source, event);
      const seconds = Math.floor(target.clock() / 1000);
      return post(agent, url, { body, headers: signed(key, { id: event.id, body, seconds }) });
    },
  };
}

interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function post(
  agent: ReturnType<typeof verifyingAgent>,
  url: URL,
  { body, headers }: Message,
): Promise<EventAttempt> {
  try {
    const { statusCode, body: answer } = await agent.request({
      ...{ origin: url.origin, path: url.pathname, method: 'POST', body },
      signal: AbortSignal.timeout(WITHIN_MS),
      headers: { 'user-agent': 'ccm-migrate', 'content-type': CLOUD_EVENT, ...headers },
    });
    // What it says beside the status is of no interest, and could be endless.
    answer.on('error', () => undefined);
    answer.destroy();
    return attemptOf(statusCode);
  } catch (error) {
    // By the code alone: messages of HTTP clients contain addresses and headers.
    const code = errorCode(error);
    return { kind: 'later', detail: `no answer (${code === '' ? 'in time' : code})` };
  }
}

function plainWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const CLOUD_EVENT = 'application/cloudevents+json; charset=utf-8';

function attemptOf(status: number): EventAttempt {
  const detail = `answered ${String(status)}`;
  if (status >= 200 && status < 300) return { kind: 'delivered', detail };
  return { kind: UNACCEPTABLE.includes(status) ? 'refused' : 'later', detail };
}

/** The key protects against forgery, TLS against readers: events name clusters and people. */
function checkedTarget(written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : null;
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (isPlain && (url.protocol === 'https:' || isOnThisMachine(url))) return url;
  throw new Error('must be https://, or http:// on 127.0.0.1, without user, query or fragment');
}

/** By its address: a name may be resolved to another machine. */
function isOnThisMachine({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return protocol === 'http:' && host !== 'localhost' && isLoopback(host);
}

function bodyOf(source: string, { id, kind, atMs, run, what }: OutgoingEvent): string {
  const { workflowId, runId, cluster, fleet } = run;
  return redact(
    plainJson({
      ...{ specversion: '1.0', id, source, type: `dev.ccm-migrate.run.${kind}.v1` },
      ...(cluster === '' ? {} : { subject: cluster }),
      ...(atMs === null ? {} : { time: new Date(atMs).toISOString() }),
      datacontenttype: 'application/json',
      data: { workflowId, runId, cluster, fleet, ...what },
    }),
  );
}

interface Signed {
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
}

function signed(key: Buffer, { id, seconds, body }: Signed): Readonly<Record<string, string>> {
  const mac = createHmac('sha256', key).update(`${id}.${String(seconds)}.${body}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${mac.digest('base64')}`,
  };
}

const KEY = /^(?:whsec_)?([A-Za-z0-9+/]{32,128}={0,2})\s*$/;
/** What others may do with it, and what its group may write. */
const FOR_OTHERS = 0o027;

/** Opened once, so that what is checked is what is read. */
async function readKey(path: string): Promise<Buffer> {
  const file = await openRegular(path).catch((error: unknown) => {
    throw new Error(`key ${path}: ${unreadable(error)}`);
  });
  try {
    const { mode, size } = await file.stat();
    if ((mode & FOR_OTHERS) !== 0) {
      throw new Error(`key ${path}: others may read it, or its group may write it: chmod 0600`);
    }
    const encoded = size > 1024 ? undefined : KEY.exec(await file.readFile('utf8'))?.[1];
    if (encoded === undefined) {
      throw new Error(`key ${path} must hold 24 to 96 bytes in base64: openssl rand -base64 32`);
    }
    return Buffer.from(encoded, 'base64');
  } finally {
    await file.close();
  }
}
