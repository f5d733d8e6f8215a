import type { IncomingMessage, ServerResponse } from 'node:http';
import { statusAnswer } from './answers.js';
import type { ServedAnswer, JsonAnswer, TextAnswer, WatchAnswer } from './request.js';

/** Largest body of an API request, as in the API server (`limitedReadBody`). */
export const BODY_LIMIT = 3 * 1024 * 1024;
/** A watcher that does not read is disconnected, as by the API server. */
const SLOW_WATCHER_BYTES = 8 * 1024 * 1024;

export const TOO_LARGE_ANSWER = statusAnswer(
  413,
  'RequestEntityTooLarge',
  `Request entity too large: limit is ${BODY_LIMIT}`,
);

/** The text of a request's body; null when it exceeds the limit. */
export async function readBody(incoming: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Aborts when the client disconnects before the response is sent. */
export function departure(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  return gone.signal;
}

export function send(outgoing: ServerResponse, answer: ServedAnswer, nowMs: number): void {
  if (outgoing.destroyed) return;
  outgoing.setHeader('Date', new Date(nowMs).toUTCString());
  if (answer.kind === 'watch') {
    stream(outgoing, answer);
    return;
  }
  const { text, headers } = written(answer);
  outgoing.writeHead(answer.code, headers);
  outgoing.end(text);
}

/** Sends half of a response whose headers announce all of it, then cuts the connection. */
export function sendTruncated(outgoing: ServerResponse, answer: ServedAnswer): void {
  if (answer.kind === 'watch') {
    outgoing.writeHead(200, { 'Content-Type': 'application/json' });
    outgoing.write('{"type":"ADDED","obj', () => cut(outgoing));
    return;
  }
  const { text, headers } = written(answer);
  outgoing.writeHead(answer.code, headers);
  outgoing.write(text.slice(0, Math.floor(text.length / 2)), () => cut(outgoing));
}

export function cut(outgoing: ServerResponse): void {
  outgoing.destroy();
}

interface Written {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

function written(answer: JsonAnswer | TextAnswer): Written {
  const isText = answer.kind === 'text';
  const text = isText ? answer.text : JSON.stringify(answer.body);
  return {
    text,
    headers: {
      'Content-Type': isText ? 'text/plain; charset=utf-8' : 'application/json',
      'Content-Length': String(Buffer.byteLength(text)),
      'Cache-Control': 'no-cache, private',
      ...(isText ? {} : answer.headers),
    },
  };
}

function stream(outgoing: ServerResponse, answer: WatchAnswer): void {
  outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' });
  outgoing.flushHeaders();
  let ended = false;
  const stop = answer.open({
    send: (line) => {
      if (ended) return;
      outgoing.write(`${JSON.stringify(line)}\n`);
      if (outgoing.writableLength > SLOW_WATCHER_BYTES) cut(outgoing);
    },
    end: () => {
      ended = true;
      outgoing.end();
    },
  });
  outgoing.once('close', () => {
    ended = true;
    stop();
  });
}
