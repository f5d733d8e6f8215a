import { Readable } from 'node:stream';
import type {
  Transport,
  TransportAnswer,
  TransportRequest,
} from '../../../activities/adapters/credentials/transport.js';
import type { Exchange, Json, SentRequest } from './exchange.js';

/** Headers of responses that the product reads, and `warning`, which kubectl shows. */
const READ_HEADERS = ['content-type', 'date', 'retry-after', 'warning'];

export interface RecordingOptions {
  readonly as: string;
  /** Path of the cluster's base address; empty for a real API server. */
  readonly basePath: string;
  readonly record: (exchange: Exchange) => void;
}

/** The product's own connection to a cluster, with a copy of all traffic. */
export function recordingTransport(inner: Transport, options: RecordingOptions): Transport {
  return {
    ...inner,
    send: async (request) => {
      const answer = await inner.send(request);
      const sent = sentRequest(request, options);
      const head = { status: answer.statusCode, headers: readHeaders(answer.headers) };
      if (sent.query['watch'] === 'true' && answer.statusCode === 200) {
        const events: Json[] = [];
        options.record({ request: sent, answer: { ...head, events } });
        return withBody(answer, observedLines(answer.body, events));
      }
      const text = await answer.body.text();
      options.record({ request: sent, answer: { ...head, body: parsed(text) } });
      return withBody(answer, [Buffer.from(text)]);
    },
  };
}

function sentRequest(
  { method, url, headers, body }: TransportRequest,
  { as, basePath }: RecordingOptions,
): SentRequest {
  return {
    as,
    method,
    path: url.pathname.slice(basePath.length),
    query: Object.fromEntries(url.searchParams),
    contentType: headers['content-type'] ?? '',
    accept: headers['accept'] ?? '',
    body: body === undefined ? null : parsed(body),
  };
}

function readHeaders(headers: TransportAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    READ_HEADERS.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

/** Long texts are recorded by their length: all that matters is that they were too long. */
const LONGEST = 20_000;

function parsed(text: string): Json {
  if (text.length > LONGEST) return `${text.length} characters`;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Passes a stream on and records its complete lines. */
async function* observedLines(
  body: AsyncIterable<unknown>,
  events: Json[],
): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const chunk of body) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    const lines = (rest + bytes.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    events.push(...lines.map(parsed));
    yield bytes;
  }
}

function withBody(
  answer: TransportAnswer,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): TransportAnswer {
  const body: unknown = Readable.from(chunks);
  // The adapter reads chunks and destroys, which any readable stream can do.
  return { ...answer, body: body as TransportAnswer['body'] };
}
