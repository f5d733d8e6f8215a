import { readFile } from 'node:fs/promises';
import { Agent, type Dispatcher } from 'undici';
import { failure } from '../failures.js';
import type { ClusterAddress } from './kubeconfig.js';
import { Secret } from './secret.js';

/** Sockets to one cluster: a step's few requests, the guard's, and a watch or two. */
const MAX_CONNECTIONS = 8;
const TOKEN_FILE_MAX_AGE_MS = 60_000;

export interface TransportRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export type TransportAnswer = Dispatcher.ResponseData;

/** One pooled way to one cluster with one credential: client-node itself opens a TLS connection for each request. */
export interface Transport {
  /** Resolves with status and headers; the body is still to be read or destroyed. */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** Values that must not appear in any text. */
  secrets(): readonly string[];
  /** Ends the connections once running requests are done. */
  close(): Promise<void>;
}

/**
 * TLS 1.2 or newer, verified against the kubeconfig's authority alone. Time limits are the callers' own
 * (`withDeadline`), so undici's are off; redirects are not followed.
 */
export function createTransport(address: ClusterAddress): Transport {
  const agent = createAgent(address);
  const token = tokenSource(address);
  return {
    send: async ({ method, url, headers, body, signal }) => {
      const bearer = await token.read();
      return agent.request({
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
    },
    secrets: () => token.secrets(),
    close: () => agent.close(),
  };
}

function createAgent({ ca, tlsServerName, credential }: ClusterAddress): Agent {
  return new Agent({
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    keepAliveMaxTimeout: 60_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      ca,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      timeout: 10_000,
      ...(tlsServerName === null ? {} : { servername: tlsServerName }),
      ...(credential.kind === 'clientCertificate'
        ? { cert: credential.certificate, key: credential.key.reveal() }
        : {}),
    },
  });
}

interface TokenSource {
  read(): Promise<Secret | null>;
  secrets(): readonly string[];
}

function tokenSource({ credential }: ClusterAddress): TokenSource {
  if (credential.kind === 'clientCertificate') {
    return { read: () => Promise.resolve(null), secrets: () => [] };
  }
  if (credential.kind === 'token') {
    const { token } = credential;
    return { read: () => Promise.resolve(token), secrets: () => [token.reveal()] };
  }
  return tokenFile(credential.path);
}

/** Bound tokens rotate on disk; client-go also reads the file about once a minute. */
function tokenFile(path: string): TokenSource {
  let held: { readonly token: Secret; readonly readAt: number } | null = null;
  return {
    read: async () => {
      if (held === null || performance.now() - held.readAt > TOKEN_FILE_MAX_AGE_MS) {
        const text = await readFile(path, 'utf8').catch((cause: unknown) => {
          throw failure('Unauthorized', `token file ${path} of the kubeconfig is not readable`, {
            cause,
          });
        });
        held = { token: new Secret(text.trim()), readAt: performance.now() };
      }
      return held.token;
    },
    secrets: () => (held === null ? [] : [held.token.reveal()]),
  };
}
