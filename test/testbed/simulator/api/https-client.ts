import type { IncomingMessage } from 'node:http';
import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';

/** JSON as received: tests read it untyped on purpose, and a wrong assumption about it fails them. */
export type Json = ReturnType<typeof JSON.parse>;

export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly json: Json;
  readonly text: string;
}

export interface TestCall {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface TestClient {
  /** SHA-256 of the server's authority, which nodes use as their cluster's. */
  readonly authority: string;
  /** Path below the cluster's base. Rejects when the connection breaks. */
  call(method: string, path: string, call?: TestCall): Promise<TestAnswer>;
  /** Lines of a watch until it ends, or until `enough` says so. */
  watch(path: string, enough?: (lines: readonly Json[]) => boolean): Promise<readonly Json[]>;
}

interface Reached {
  readonly base: string;
  readonly options: object;
  /** SHA-256 of the server's authority, which nodes use as their cluster's. */
  readonly authority: string;
}

function reached(kubeconfig: string): Reached {
  const config = JSON.parse(kubeconfig);
  const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster;
  const user = config.users[0].user;
  const decoded = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
  const { fingerprint256 } = new X509Certificate(decoded(ca) ?? '');
  return {
    base: server,
    authority: fingerprint256.replaceAll(':', '').toLowerCase(),
    options: {
      ca: decoded(ca),
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
      agent: false,
      headers: {
        'user-agent': 'test-client/1.0',
        ...(user.token === undefined ? {} : { authorization: `Bearer ${user.token}` }),
      },
    },
  };
}

/** Plain HTTPS with the settings of a kubeconfig, so that nothing stands between test and wire. */
export function clientOf(kubeconfig: string): TestClient {
  const { base, options, authority } = reached(kubeconfig);
  /** Requests to nodes name their cluster by default; one that names it differently is sent unchanged. */
  const located = (path: string): string =>
    !path.startsWith('/node-access/') || path.includes('cluster=')
      ? path
      : `${path}${path.includes('?') ? '&' : '?'}cluster=uid&authority=${authority}`;
  const open = (method: string, path: string, call: TestCall): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { body, contentType = 'application/json' } = call;
      const outgoing = request(
        `${base}${located(path)}`,
        { ...options, method, signal: call.signal },
        resolve,
      );
      outgoing.on('error', reject);
      for (const [name, value] of Object.entries(call.headers ?? {})) {
        outgoing.setHeader(name, value);
      }
      if (body === undefined) outgoing.end();
      else {
        outgoing.setHeader('content-type', contentType);
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        // Node sends no length of its own with a DELETE.
        outgoing.setHeader('content-length', Buffer.byteLength(text));
        outgoing.end(text);
      }
    });
  return {
    authority,
    call: async (method, path, call = {}) => {
      const incoming = await open(method, path, call);
      let text = '';
      for await (const chunk of incoming) text += String(chunk);
      const isJson = (incoming.headers['content-type'] ?? '').startsWith('application/json');
      return {
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        text,
        json: isJson ? JSON.parse(text) : null,
      };
    },
    watch: async (path, enough = () => false) => {
      const incoming = await open('GET', path, {});
      const lines: Json[] = [];
      let rest = '';
      for await (const chunk of incoming) {
        const parts = `${rest}${String(chunk)}`.split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts.map((line) => JSON.parse(line)));
        if (enough(lines)) break;
      }
      return lines;
    },
  };
}
