import { isIP } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import type { FailureType } from '../../../domain/failures.js';
import type { PrometheusSettings } from '../../../domain/policy.js';
import { errorCode, failure, failureTypeOf } from '../../failures.js';
import { Secret } from '../credentials/secret.js';
import { verifyingAgent } from '../credentials/transport.js';
import { type Deadline } from '../deadline.js';
import { raceAbort } from '../../race-abort.js';
import { TIMEOUT_CODE, TLS_CODE } from '../http/answer-failure.js';
import { bodyText } from '../http/http.js';
import { readRegularText } from '../../../config/regular-file.js';

/** How one server is reached, without which series are meant. */
export type PrometheusAddress = Pick<PrometheusSettings, 'url' | 'caFile' | 'tokenFile'>;

/** An answer that arrived whole, whatever it says. */
export interface MetricReply {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly serverTimeMs: number | null;
  /** From `Retry-After`. */
  readonly retryAfterMs: number | null;
}

/** Requests to the one origin that was configured. */
export interface MetricTransport {
  /** For errors: what is done, and at which host. */
  readonly what: string;
  readonly post: (path: string, form: URLSearchParams, deadline: Deadline) => Promise<MetricReply>;
  /** Values that must not appear in any text. */
  readonly secrets: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Of an answer to a query. */
const ANSWER_LIMIT = 8 * 1024 * 1024;
/** Of a refusal: its first words say what is wrong. */
const REFUSAL_LIMIT = 64 * 1024;
const MAX_CONNECTIONS = 4;
const LONGEST_RETRY_AFTER_MS = 5 * 60_000;

interface Connected {
  readonly ca: string | null;
  readonly agent: Agent;
}

/**
 * Requests go to the configured origin alone: redirects are not followed, proxies of the environment are not used, each
 * connection resolves the name once and keeps that address, and a name never leads to a link-local one (a metadata service).
 * Deadlines are the caller's. Answers come uncompressed, so that their limit counts what is read.
 */
export function createMetricTransport(address: PrometheusAddress): MetricTransport {
  const base = checkedBase(address.url);
  const what = `query metrics at ${base.host}`;
  let connected: Connected | null = null;
  let token: Secret | null = null;
  const agentFor = (ca: string | null): Agent => {
    if (connected?.ca === ca) return connected.agent;
    void connected?.agent.close();
    connected = { ca, agent: verifyingAgent(MAX_CONNECTIONS, ca === null ? {} : { ca }) };
    return connected.agent;
  };
  return {
    what,
    secrets: () => (token === null ? [] : [token.reveal()]),
    close: () => connected?.agent.close() ?? Promise.resolve(),
    post: async (path, form, deadline) => {
      try {
        const [ca, bearer] = await raceAbort(
          deadline.signal,
          Promise.all([readCa(what, address), readToken(what, address)]),
        );
        token = bearer;
        const sent = { origin: base.origin, path: base.pathname.replace(/\/+$/, '') + path };
        return await exchange(what, agentFor(ca), { ...sent, form, bearer }, deadline.signal);
      } catch (error) {
        throw failureTypeOf(error) === null ? lost(what, error, deadline.expired()) : error;
      }
    },
  };
}

interface Sent {
  readonly origin: string;
  readonly path: string;
  readonly form: URLSearchParams;
  readonly bearer: Secret | null;
}

async function exchange(
  what: string,
  agent: Agent,
  { origin, path, form, bearer }: Sent,
  signal: AbortSignal,
): Promise<MetricReply> {
  const { statusCode, headers, body } = await agent.request({
    origin,
    path,
    method: 'POST',
    signal,
    headers: {
      'user-agent': 'ccm-migrate',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/x-www-form-urlencoded',
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer.reveal()}` }),
    },
    body: form.toString(),
  });
  const encoding = text(headers['content-encoding']);
  if (encoding !== '' && encoding !== 'identity') {
    discard(body);
    throw failure(
      'NotSupported',
      `${what}: the answer is compressed, which was not asked for. Turn it off at the proxy in front`,
    );
  }
  const limit = statusCode === 200 ? ANSWER_LIMIT : REFUSAL_LIMIT;
  return {
    status: statusCode,
    contentType: text(headers['content-type']),
    text: await bodyText(what, body, limit),
    serverTimeMs: finite(Date.parse(text(headers['date']))),
    retryAfterMs: retryAfter(text(headers['retry-after'])),
  };
}

/** Gives up the connection with the body: what is left of it could be endless. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined);
  body.destroy();
}

function text(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header?.join(', ') ?? '');
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function retryAfter(written: string): number | null {
  return /^\d{1,6}$/.test(written)
    ? Math.min(Number(written) * 1000, LONGEST_RETRY_AFTER_MS)
    : null;
}

/** `https`, or `http` to this machine itself: a process that can change an answer on its way lets harm pass. */
function checkedBase(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : null;
  const plain = base !== null && base.username + base.password + base.search + base.hash === '';
  if (base !== null && plain && (base.protocol === 'https:' || isLoopback(base))) return base;
  throw failure(
    'InvalidInput',
    'the address of Prometheus must be https://, or http:// on 127.0.0.1, without user, query or fragment',
  );
}

function isLoopback({ protocol, hostname }: URL): boolean {
  const isAddress = isIP(hostname) === 4 && hostname.startsWith('127.');
  return protocol === 'http:' && (isAddress || hostname === '[::1]');
}

async function readCa(what: string, { caFile }: PrometheusAddress): Promise<string | null> {
  return caFile === null ? null : fileText(what, caFile, 'caFile');
}

/** As a header can carry it. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** Read for each request: a file of that size costs less than to find out whether it changed. */
async function readToken(what: string, { tokenFile }: PrometheusAddress): Promise<Secret | null> {
  if (tokenFile === null) return null;
  const token = (await fileText(what, tokenFile, 'tokenFile')).trim();
  if (TOKEN.test(token)) return new Secret(token);
  throw failure('Unauthorized', `${what}: tokenFile ${tokenFile} must hold one token, in one line`);
}

async function fileText(what: string, path: string, member: string): Promise<string> {
  return readRegularText(path).catch((cause: unknown) => {
    const why = `${what}: ${member} ${path} is not readable (${errorCode(cause)})`;
    throw failure('Unauthorized', why, { details: { reason: 'FileUnreadable' } });
  });
}

/** An answer that did not arrive, by the code alone: messages of HTTP clients contain addresses and headers. */
function lost(what: string, error: unknown, expired: boolean): Error {
  const code = errorCode(error);
  const { type, words } = lossOf(code, expired);
  return failure(type, `${what}: ${words}`, { details: { reason: code } });
}

interface Loss {
  readonly type: FailureType;
  readonly words: string;
}

function lossOf(code: string, expired: boolean): Loss {
  if (expired || TIMEOUT_CODE.test(code)) {
    return { type: 'Timeout', words: 'no complete answer in time. Ask for less, or see its load' };
  }
  if (TLS_CODE.test(code)) {
    const words = `the TLS connection was refused (${code}). The certificate must name this host and be signed by an authority in caFile`;
    return { type: 'Unauthorized', words };
  }
  return LOSSES[code] ?? { type: 'Unavailable', words: `the connection failed (${code})` };
}

const LOSSES: Readonly<Record<string, Loss>> = {
  ECONNREFUSED: { type: 'Unavailable', words: 'no process listens there. Is Prometheus running?' },
  ENOTFOUND: { type: 'Unavailable', words: 'the name does not resolve. Check the address' },
  EAI_AGAIN: { type: 'Unavailable', words: 'the name server does not answer' },
  ELINKLOCAL: {
    type: 'InvalidInput',
    words: 'the name leads to a link-local address: a metadata service, not Prometheus',
  },
};
