import { MOST_PAGE_CHARACTERS } from '../../../domain/gates/samples/exposition.js';
import { OutOfBounds, parseBoundedJson } from '../../../domain/yaml/bounded-json.js';
import { failure } from '../../failures.js';
import type { CallOptions } from '../../ports.js';
import type { Transport, TransportAnswer } from '../credentials/transport.js';
import { type Deadline, withDeadline } from '../deadline.js';
import {
  type ReasonTypes,
  answerFailure,
  connectionFailure,
  refusedAnswer,
} from './answer-failure.js';
import { lines } from './line-stream.js';
import { type Attempt, withRetry, retryDelayMs } from './with-retry.js';

export interface HttpRequest {
  /** For people, in errors: `get Lease kube-system/ccm-migrate`. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, each segment already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: object;
  readonly contentType?: string;
  /** Changes nothing, so it may be retried whatever its outcome. */
  readonly safe: boolean;
  readonly answer?: 'object' | 'list' | 'text';
}

export interface HttpAnswer {
  readonly status: number;
  /** Empty for a text answer. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Server's `Date` header in epoch ms; null without one. */
  readonly serverTimeMs: number | null;
}

/** The outcome of a request; `code` is null when no answer arrived. */
export interface RequestSeen {
  readonly method: string;
  readonly path: string;
  readonly code: number | null;
}

export interface HttpSettings {
  readonly transport: Transport;
  readonly base: string;
  /** The meaning of this API's reasons where they differ from Kubernetes. */
  readonly reasonTypes?: ReasonTypes;
  /** Default `ccm-migrate`; identifies in audit logs which component sent the request. */
  readonly userAgent?: string;
  /** Called once for each request sent, retries too: the request budget counts them. */
  readonly onRequest?: (seen: RequestSeen) => void;
}

/** Deadlines, retries, limits and failures of one HTTP API. */
export interface HttpClient {
  /** A 2xx answer, or a failure of the closed list. */
  send(request: HttpRequest, options?: CallOptions): Promise<HttpAnswer>;
  /** Lines of an open-ended answer; ends quietly at `totalMs`, after `idleMs` without a byte, or when the stream breaks. */
  stream(request: HttpRequest, limits: StreamLimits): AsyncGenerator<string>;
}

export interface StreamLimits {
  readonly signal?: AbortSignal;
  readonly openMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

export const DEFAULT_TIMEOUT_MS = 10_000;
const LIST_TIMEOUT_MS = 30_000;

export function createHttpClient(settings: HttpSettings): HttpClient {
  return {
    send: (request, { signal, timeoutMs } = {}) => {
      const limit = timeoutMs ?? (request.answer === 'list' ? LIST_TIMEOUT_MS : DEFAULT_TIMEOUT_MS);
      return withDeadline(limit, signal, (deadline) =>
        withRetry(deadline, request.safe, async () => complete(settings, request, deadline)),
      );
    },
    stream: (request, limits) =>
      lines(request.what, limits, (signal) =>
        withDeadline(limits.openMs, limits.signal, (deadline) =>
          withRetry(deadline, true, async () => opened(settings, request, deadline, signal)),
        ),
      ),
  };
}

/** One request with its whole answer. */
async function complete(
  settings: HttpSettings,
  request: HttpRequest,
  deadline: Deadline,
): Promise<Attempt<HttpAnswer>> {
  const { what, answer: kind = 'object', safe } = request;
  try {
    const answer = await exchange(settings, request, deadline.signal);
    const text = await bodyText(what, answer.body, LIMITS[kind]);
    if (answer.statusCode >= 300) return refusal(settings, request, answer, text);
    const contentType = header(answer, 'content-type') ?? '';
    return {
      kind: 'done',
      value: {
        status: answer.statusCode,
        json: kind === 'text' ? {} : jsonObject(what, contentType, text),
        text,
        serverTimeMs: serverTime(answer),
      },
    };
  } catch (error) {
    const failed = connectionFailure(at(settings, what), error, deadline.expired());
    return { kind: 'failed', error: failed, mayRepeat: safe && failed.type === 'Unavailable' };
  }
}

/** One request whose answer stays open; `streamSignal` lives as long as the stream, the deadline only until it is open. */
async function opened(
  settings: HttpSettings,
  request: HttpRequest,
  deadline: Deadline,
  stream: AbortController,
): Promise<Attempt<TransportAnswer['body']>> {
  const abort = (): void => {
    stream.abort(deadline.signal.reason);
  };
  deadline.signal.addEventListener('abort', abort, { once: true });
  try {
    const answer = await exchange(settings, request, stream.signal);
    if (answer.statusCode < 300) return { kind: 'done', value: answer.body };
    return refusal(
      settings,
      request,
      answer,
      await bodyText(request.what, answer.body, OBJECT_LIMIT),
    );
  } catch (error) {
    const failed = connectionFailure(at(settings, request.what), error, deadline.expired());
    return { kind: 'failed', error: failed, mayRepeat: failed.type === 'Unavailable' };
  } finally {
    deadline.signal.removeEventListener('abort', abort);
  }
}

/** A message about a missing answer must name the host. */
function at({ base }: HttpSettings, what: string): string {
  return `${what} at ${new URL(base).host}`;
}

/**
 * One request and its answer; with another token once more where the server rejects the one that it had (401), since a rejected
 * request has done nothing. A token may end before its stated time: its key was rotated, its session revoked.
 */
async function exchange(
  settings: HttpSettings,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<TransportAnswer> {
  const answer = await sendOnce(settings, request, signal);
  if (answer.statusCode !== UNAUTHORIZED) return answer;
  // Where there is no other token, the server's own words are the reason.
  const isRenewed = await settings.transport.renews(answer, signal).catch(() => false);
  if (!isRenewed) return answer;
  await answer.body.dump();
  return sendOnce(settings, request, signal);
}

const UNAUTHORIZED = 401;

async function sendOnce(
  { transport, base, onRequest, userAgent = 'ccm-migrate' }: HttpSettings,
  { method, path, query = {}, body, contentType = 'application/json', answer }: HttpRequest,
  signal: AbortSignal,
): Promise<TransportAnswer> {
  const url = urlOf(base + path, query);
  let code: number | null = null;
  try {
    const result = await transport.send({
      method,
      url,
      signal,
      headers: {
        'user-agent': userAgent,
        accept: answer === 'text' ? 'text/plain' : 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    code = result.statusCode;
    return result;
  } finally {
    onRequest?.({ method, path: url.pathname, code });
  }
}

function urlOf(address: string, query: NonNullable<HttpRequest['query']>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) url.searchParams.append(name, String(each));
    }
  }
  return url;
}

function refusal(
  { transport, reasonTypes }: HttpSettings,
  { what, method, safe }: HttpRequest,
  answer: TransportAnswer,
  text: string,
): Attempt<never> {
  const retryAfter = header(answer, 'retry-after');
  const refused = refusedAnswer(answer.statusCode, text, retryAfter, transport.secrets());
  const error = answerFailure(what, refused, method, reasonTypes);
  const delay = retryDelayMs(refused, safe, error.type);
  return delay === null
    ? { kind: 'failed', error, mayRepeat: false }
    : { kind: 'failed', error, mayRepeat: true, ...delay };
}

function header(answer: TransportAnswer, name: string): string | null {
  const value = answer.headers[name];
  return typeof value === 'string' ? value : null;
}

function serverTime(answer: TransportAnswer): number | null {
  const time = Date.parse(header(answer, 'date') ?? '');
  return Number.isNaN(time) ? null : time;
}

/** 4 MiB for a page of a list, 2 MiB for everything else (etcd takes objects up to 1.5 MiB). */
export const LIST_LIMIT = 4 * 1024 * 1024;
export const OBJECT_LIMIT = 2 * 1024 * 1024;
/** A manager's metrics: thirty controllers of a large cluster have some megabytes of buckets. Bytes are no fewer than characters. */
export const PAGE_LIMIT = MOST_PAGE_CHARACTERS;

const LIMITS: Readonly<Record<NonNullable<HttpRequest['answer']>, number>> = {
  ...{ object: OBJECT_LIMIT, list: LIST_LIMIT, text: PAGE_LIMIT },
};

/** Reads a body as UTF-8, at most `limit` bytes. More, or other bytes, is `Unavailable`: the effect is unknown. */
export async function bodyText(
  what: string,
  body: AsyncIterable<unknown> & { destroy(): unknown },
  limit: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += part.length;
    if (bytes > limit) {
      body.destroy();
      throw tooLarge(what, `longer than ${String(limit)} bytes`);
    }
    chunks.push(part);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw failure('Unavailable', `${what}: the answer is not UTF-8`);
  }
}

/** JSON as an object. The parser's own message quotes the text, which may hold secrets, so it is not used. */
export function jsonObject(
  what: string,
  contentType: string,
  text: string,
): Readonly<Record<string, unknown>> {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) {
    const type = contentType === '' ? 'no content type' : contentType.slice(0, 60);
    throw failure('Unavailable', `${what}: answered ${type} instead of JSON: is a proxy in front?`);
  }
  try {
    const value = parseBoundedJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (error instanceof OutOfBounds) throw tooLarge(what, error.message);
    throw failure('Unavailable', `${what}: the answer is not complete JSON`);
  }
  throw failure('Unavailable', `${what}: the answer is not a JSON object`);
}

/** Too long an answer: the caller may request less. */
export const TOO_LARGE = 'TooLarge';

function tooLarge(what: string, why: string): Error {
  return failure('Unavailable', `${what}: the answer is ${why}`, {
    details: { reason: TOO_LARGE },
  });
}
