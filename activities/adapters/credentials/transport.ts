import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import { failure } from '../../failures.js';
import { raceAbort } from '../../race-abort.js';
import type { ExecPlugin } from './exec-plugin.js';
import { runExecPlugin } from './exec-plugin.js';
import type { ClusterAddress, Credential } from './kubeconfig.js';
import { lookup } from './link-local.js';
import { Secret } from './secret.js';
import { readRegularText } from '../../../config/regular-file.js';

/** Sockets to one cluster: a step's few requests, the guard's, and a watch or two. */
const MAX_CONNECTIONS = 8;

export interface TransportRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export type TransportAnswer = Dispatcher.ResponseData;

/** A connection pool to one cluster with one credential: client-node itself opens a TLS connection for each request. */
export interface Transport {
  /** Resolves with status and headers; the body is still to be read or destroyed. */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /**
   * Whether a request that was answered with 401 may be sent once more: the token that it had is forgotten, and there is
   * another one now. The server did nothing.
   */
  renews(rejected: TransportAnswer, signal: AbortSignal): Promise<boolean>;
  /** The bearer token of its requests; null where a client certificate authenticates us. */
  bearer(): Promise<Secret | null>;
  /** Values that must not appear in any text. */
  secrets(): readonly string[];
  /** Ends the connections once running requests are done. */
  close(): Promise<void>;
}

/**
 * TLS 1.2 or newer, verified against the kubeconfig's authority alone. Time limits are the callers' own
 * (`withDeadline`), so undici's are off; redirects are not followed. HTTP/1.1, because a request that is given up must take
 * its connection along, and nothing else with it (ADR 17).
 */
export function createTransport(address: ClusterAddress): Transport {
  const agent = createAgent(address);
  const token = tokenSource(address.credential);
  const sentWith = new WeakMap<TransportAnswer, Secret>();
  return {
    send: async ({ method, url, headers, body, signal }) => {
      // Fetching a token may take longer than the request that waits for it; the next request then benefits.
      const bearer = await raceAbort(signal, token.read());
      // undici takes a connection for busy until the turn after its answer: requests one after the other would need two.
      await nextTurn();
      const answer = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        signal,
        headers: {
          ...headers,
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer.reveal()}` }),
        },
        ...(body === undefined ? {} : { body }),
      });
      if (bearer !== null) sentWith.set(answer, bearer);
      return answer;
    },
    renews: async (rejected, signal) => {
      const sent = sentWith.get(rejected);
      if (sent === undefined) return false;
      token.forget(sent);
      const now = await raceAbort(signal, token.read());
      return now !== null && now.reveal() !== sent.reveal();
    },
    bearer: () => token.read(),
    secrets: () => token.secrets(),
    close: () => agent.close(),
  };
}

function createAgent({ ca, tlsServerName, credential }: ClusterAddress): Agent {
  return verifyingAgent(MAX_CONNECTIONS, {
    ca,
    ...(tlsServerName === null ? {} : { servername: tlsServerName }),
    ...(credential.kind === 'clientCertificate'
      ? { cert: credential.certificate, key: credential.key.reveal() }
      : {}),
  });
}

/** Who is trusted, as whom, and with which certificate of ours. */
type TlsIdentity = Pick<ConnectionOptions, 'ca' | 'servername' | 'cert' | 'key'>;

/** Connections that verify the peer, never lead to a link-local address, and leave time limits to the caller. */
export function verifyingAgent(connections: number, identity: TlsIdentity): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 60_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    // A resumed session is not verified again: a certificate that has expired meanwhile would still be accepted.
    maxCachedSessions: 0,
    connect: {
      ...identity,
      lookup,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      timeout: 10_000,
    },
  });
}

/** Bound tokens rotate on disk; client-go also reads the file about once a minute. */
const MAX_AGE_MS = 60_000;
/** A token must not expire while a request is in flight. */
const BEFORE_EXPIRY_MS = 30_000;

/** The current bearer token, re-read or fetched again when necessary. */
export interface TokenSource {
  read(): Promise<Secret | null>;
  /** The server rejected this token: the next reading does not return it from memory. */
  forget(token: Secret): void;
  /** Values that must not appear in any text. */
  secrets(): readonly string[];
}

function tokenSource(credential: Credential): TokenSource {
  switch (credential.kind) {
    case 'clientCertificate':
      return { read: () => Promise.resolve(null), forget: keep, secrets: () => [] };
    case 'token': {
      const { token } = credential;
      return {
        read: () => Promise.resolve(token),
        forget: keep,
        secrets: () => [token.reveal()],
      };
    }
    case 'tokenFile':
      return renewed(() => fromFile(credential.path));
    case 'exec':
      return renewed(() => fromPlugin(credential.plugin));
  }
}

/** The kubeconfig has no other. */
function keep(): void {
  return undefined;
}

interface Held {
  readonly token: Secret;
  /** On the clock of `performance.now()`, which clock corrections do not affect. */
  readonly goodUntil: number;
}

/** One fetch at a time, shared by all callers. */
function renewed(fetchToken: () => Promise<Held>): TokenSource {
  let held: Held | null = null;
  let fetching: Promise<Held> | null = null;
  return {
    read: async () => {
      if (held !== null && performance.now() < held.goodUntil) return held.token;
      fetching ??= fetchToken().finally(() => (fetching = null));
      held = await fetching;
      return held.token;
    },
    forget: (token) => {
      // Kept until the next one is there, so that no text shows it.
      if (held?.token === token) held = { token, goodUntil: -Infinity };
    },
    secrets: () => (held === null ? [] : [held.token.reveal()]),
  };
}

async function fromFile(path: string): Promise<Held> {
  const text = await readRegularText(path).catch((cause: unknown) => {
    throw failure('Unauthorized', `token file ${path} of the kubeconfig is not readable`, {
      cause,
    });
  });
  return { token: new Secret(text.trim()), goodUntil: performance.now() + MAX_AGE_MS };
}

async function fromPlugin(plugin: ExecPlugin): Promise<Held> {
  const { token, expiresAtMs } = await runExecPlugin(plugin);
  const goodForMs = expiresAtMs === null ? MAX_AGE_MS : expiresAtMs - Date.now() - BEFORE_EXPIRY_MS;
  return { token, goodUntil: performance.now() + goodForMs };
}
