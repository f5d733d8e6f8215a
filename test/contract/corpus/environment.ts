import { parseKubeconfig } from '../../../activities/adapters/credentials/kubeconfig.js';
import { createHttpClient } from '../../../activities/adapters/http/http.js';
import { createKubernetesApi } from '../../../activities/adapters/kubernetes/kubernetes.js';
import { Secret } from '../../../activities/adapters/credentials/secret.js';
import {
  createTransport,
  type Transport,
  type TransportRequest,
} from '../../../activities/adapters/credentials/transport.js';
import { failureDetailsOf, failureTypeOf } from '../../../activities/failures.js';
import type { KubernetesApi } from '../../../activities/ports.js';
import {
  ADMIN,
  type ApiServerUnderTest,
  type Exchange,
  type Json,
  type RecordedCall,
  type User,
} from './exchange.js';
import { recordingTransport } from './recording-transport.js';

/** A request written by hand, for what the product's adapter never sends. */
export interface HandWritten {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  /** A text is sent verbatim. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly as?: User;
  /** Sends this token and no certificate. */
  readonly token?: string;
}

/** Runs a scenario: each call is recorded with everything that it sent and received. */
export class Environment {
  readonly calls: RecordedCall[] = [];
  private readonly server: ApiServerUnderTest;
  private readonly transports = new Map<string, Promise<Reached>>();
  private exchanges: Exchange[] = [];

  constructor(server: ApiServerUnderTest) {
    this.server = server;
  }

  /**
   * Lets the product use the API and records the result. Null when it failed, which the recording shows; a scenario that cannot continue
   * without the answer calls `must`.
   */
  async call<T>(
    what: string,
    act: (api: KubernetesApi) => Promise<T>,
    as: User = ADMIN,
  ): Promise<T | null> {
    const { transport, base } = await this.reach(as);
    const api = createKubernetesApi(createHttpClient({ transport, base }));
    const attempt = async (): Promise<{ value: T | null; outcome: Json }> => {
      try {
        const value = await act(api);
        return { value, outcome: { returned: shown(value) } };
      } catch (error) {
        if (failureTypeOf(error) === null) throw error;
        return { value: null, outcome: { failed: failureOf(error) } };
      }
    };
    const { value, outcome } = await attempt();
    this.write(as === ADMIN ? what : `${what}, as ${as.user}`, outcome);
    return value;
  }

  /** As `call`, for calls that have to succeed. */
  async must<T>(what: string, act: (api: KubernetesApi) => Promise<T>): Promise<NonNullable<T>> {
    const value = await this.call(what, act);
    if (value === null || value === undefined)
      throw new Error(`${what}: ${JSON.stringify(this.calls.at(-1)?.outcome)}`);
    return value;
  }

  /** Sends one request verbatim; returns the body of the response. */
  async send(request: HandWritten): Promise<Json> {
    const { method, path, as = ADMIN, token } = request;
    const { transport, base } = await this.reach(as, token);
    const answer = await transport.send(writtenOut(request, base));
    await readToEnd(answer.body);
    const who = as === ADMIN ? '' : `, as ${as.user}`;
    // A token belongs to one cluster at one moment.
    const told = path.replace(/continue=[^&]{20,}/, 'continue=TOKEN');
    this.write(`${method} ${told}${who}`, null);
    return this.calls.at(-1)?.exchanges[0]?.answer.body;
  }

  async forgetHistory(): Promise<void> {
    await this.server.forgetHistory();
  }

  async close(): Promise<void> {
    for (const reached of this.transports.values()) await (await reached).transport.close();
  }

  /** Requests that were sent in parallel have no order of their own. */
  private write(call: string, outcome: Json): void {
    const key = ({ request }: Exchange): string =>
      JSON.stringify([request.path, request.query, request.method, request.body]);
    const exchanges =
      this.exchanges.length > 1 && call.startsWith('side by side')
        ? [...this.exchanges].sort((a, b) => (key(a) < key(b) ? -1 : 1))
        : this.exchanges;
    this.calls.push({ call, exchanges, outcome });
    this.exchanges = [];
  }

  private async reach(user: User, token?: string): Promise<Reached> {
    const key = JSON.stringify([user, token]);
    const known = this.transports.get(key);
    if (known !== undefined) return known;
    const reached = this.connect(user, token);
    this.transports.set(key, reached);
    return reached;
  }

  private async connect(user: User, token?: string): Promise<Reached> {
    const address = await parseKubeconfig(this.server.kubeconfigFor(user), {
      source: `kubeconfig of ${user.user}`,
      allowExec: false,
      allowFileReferences: false,
      readReference: () => Promise.reject(new Error('everything is inline')),
    });
    const credential =
      token === undefined
        ? address.credential
        : ({ kind: 'token', token: new Secret(token) } as const);
    const base = address.server;
    const transport = recordingTransport(createTransport({ ...address, credential }), {
      as: token === undefined ? user.user : 'a user with a token that was never issued',
      basePath: new URL(base).pathname.replace(/\/$/, ''),
      record: (exchange) => void this.exchanges.push(exchange),
    });
    return { transport, base };
  }
}

/** A response that is not read keeps its connection open. */
async function readToEnd(body: AsyncIterable<unknown>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  while ((await chunks.next()).done !== true);
}

function writtenOut(request: HandWritten, base: string): TransportRequest {
  const { method, path, body, contentType = 'application/json' } = request;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'user-agent': 'corpus/1', accept: request.accept ?? 'application/json' };
  return {
    method,
    url: new URL(base + path),
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': contentType }) },
    ...(body === undefined ? {} : { body: text }),
    signal: AbortSignal.timeout(30_000),
  };
}

interface Reached {
  readonly transport: Transport;
  readonly base: string;
}

/** The result of a call, apart from what its responses already show. */
function shown(value: unknown): Json {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return value;
  if ('items' in value && Array.isArray(value.items)) return 'a list';
  return 'metadata' in value || 'object' in value ? 'object' : value;
}

function failureOf(error: unknown): Json {
  const { message, nextRetryDelay } = error as { message: string; nextRetryDelay?: unknown };
  return {
    type: failureTypeOf(error),
    message,
    details: failureDetailsOf(error),
    ...(nextRetryDelay === undefined ? {} : { nextRetryDelay }),
  };
}
