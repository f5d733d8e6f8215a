import { UsageError } from '../cli-error.js';
import { answersQuery, readTimestamp, timestampedAt, timestampQuery } from './timestamp-token.js';

const WITHIN_MS = 30_000;
/** Of an answer, with the certificates of its signer. */
export const LARGEST_ANSWER = 65_536;

/** @throws UsageError for what is no address of a timestamp authority */
export function timestampAddress(written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '';
  if (isPlain) return url;
  throw new UsageError(
    '--timestamp takes the http:// or https:// address of an authority (RFC 3161), without a user',
  );
}

/**
 * Asks an authority when it saw this text (RFC 3161, 3.4). Returns its answer as it came, once it is known to be one to this
 * question, about this text, and signed; whom to believe is for audits to say.
 * @throws Error in plain words
 */
export async function askTimestamp(url: URL, text: string): Promise<Buffer> {
  const query = timestampQuery(text);
  const der = await answerTo(url, query.der);
  const answer = readTimestamp(der);
  if (!answersQuery(answer, query)) throw new Error('the authority answered another question');
  await timestampedAt(answer, text, null);
  return der;
}

async function answerTo(url: URL, query: Buffer): Promise<Buffer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: TYPE },
    body: Uint8Array.from(query),
    redirect: 'error',
    signal: AbortSignal.timeout(WITHIN_MS),
  }).catch((error: unknown) => {
    throw new Error(`${url.host} cannot be reached (${causeOf(error)})`);
  });
  const type = answer.headers.get('content-type') ?? '';
  if (!answer.ok || !type.startsWith(TYPE)) {
    await answer.body?.cancel();
    throw new Error(`${url.host} answered with status ${String(answer.status)}, and no timestamp`);
  }
  return bounded(answer, url);
}

const TYPE = 'application/timestamp-reply';

async function bounded({ body }: Response, { host }: URL): Promise<Buffer> {
  const stream: AsyncIterable<Uint8Array> | null = body;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream ?? []) {
    size += part.length;
    if (size > LARGEST_ANSWER) throw new Error(`${host} answered with more than a timestamp`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
