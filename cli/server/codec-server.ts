import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { CodecRequest } from '../../config/codec-request.js';
import { isLoopback } from '../../config/host-port.js';
import { payloadJson, payloadOf } from '../audit/payload-json.js';
import { parseJson } from '../read-json.js';
import { type BoundedServer, serveBounded, type ServerPlace } from './bounded-server.js';
import { discardRest, readJsonBody } from './read-body.js';

export interface CodecServerParts {
  readonly codecs: readonly PayloadCodec[];
  /** The web page that may ask, as browsers name it, for example `https://temporal.example.com`. */
  readonly uiOrigin: string;
  /** What it must send; null on this machine alone. */
  readonly token: string | null;
}

/** A page of a history has some hundred payloads, and none is larger than 2 MiB. */
const BOUND = { bytes: 32 * 1024 * 1024, problem: 'larger than 32 MiB' };

/** What the payloads of one request may expand to before the rest of them are left as they are. */
const MOST_EXPANDED_BYTES = 32 * 1024 * 1024;

/**
 * Decrypts what the web page of Temporal shows (its "codec server", https://docs.temporal.io/codec-server): POST /decode. It encrypts
 * nothing: requests and commands go through this tool, signed.
 */
export async function serveCodec(
  place: ServerPlace,
  parts: CodecServerParts,
): Promise<BoundedServer> {
  return serveBounded(place, (request, response) => {
    void answer(parts, request)
      .catch(() => text(500, 'something unexpected happened'))
      .then((said) => {
        reply(parts, request, response, said);
      });
  });
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type: string;
}

const text = (status: number, words: string): Reply => ({
  ...{ status, body: `${words}\n`, type: 'text/plain; charset=utf-8' },
});

async function answer(parts: CodecServerParts, request: IncomingMessage): Promise<Reply> {
  const path = new URL(request.url ?? '/', 'http://server').pathname;
  if (path !== '/decode') return text(404, 'try POST /decode');
  if (request.method === 'OPTIONS') return text(204, '');
  if (request.method !== 'POST') return text(405, 'send it by POST');
  const why = strangerBecause(parts, request);
  if (why !== null) return text(401, why);
  const body = await readJsonBody(request, BOUND);
  if (body.kind === 'gone') return text(400, 'it was cut off');
  if (body.kind === 'refused') return text(body.status, body.problem);
  const asked = CodecRequest.safeParse(parseJson(body.text));
  if (!asked.success) return text(400, 'send {"payloads": [{"metadata": {}, "data": ""}]}');
  return decoded(parts.codecs, asked.data.payloads);
}

/** One that cannot be read fails alone: the page shows the others. */
async function decoded(
  codecs: readonly PayloadCodec[],
  payloads: readonly object[],
): Promise<Reply> {
  const read: object[] = [];
  let bytes = 0;
  // One after another: each may expand to 32 MiB from a few bytes.
  for (const payload of payloads) {
    const plain = bytes > MOST_EXPANDED_BYTES ? TOO_MUCH : await one(codecs, payload);
    bytes += bytesIn(plain);
    read.push(payloadJson(plain));
  }
  return { status: 200, body: JSON.stringify({ payloads: read }), type: 'application/json' };
}

async function one(codecs: readonly PayloadCodec[], payload: object): Promise<Payload> {
  try {
    const [plain = {}] = await decode([...codecs], [payloadOf(payload)]);
    return plain;
  } catch (error) {
    return refusal(error instanceof Error ? error.message : String(error));
  }
}

function bytesIn({ data }: Payload): number {
  return data?.length ?? 0;
}

function refusal(why: string): Payload {
  return {
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(JSON.stringify({ notDecrypted: why })),
  };
}

const TOO_MUCH = refusal('the payloads before it expand to as much as one answer holds');

/** Without a token only requests that name this machine count: a foreign page may point its own name here (DNS rebinding). */
function strangerBecause({ token }: CodecServerParts, request: IncomingMessage): string | null {
  if (token === null) {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    return isLoopback(host) ? null : 'ask for it as localhost';
  }
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const digest = (value: string): Buffer => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(token)) ? null : 'send Authorization: Bearer TOKEN';
}

function reply(
  { uiOrigin }: CodecServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, type }: Reply,
): void {
  const headers = {
    ...{ 'content-type': type, 'cache-control': 'no-store', vary: 'Origin' },
    'access-control-allow-origin': uiOrigin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization, content-type, x-namespace',
    ...(request.complete ? {} : { connection: 'close' }),
  };
  response.writeHead(status, headers).end(status === 204 ? undefined : body);
  if (!request.complete) discardRest(request);
}
