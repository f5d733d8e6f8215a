import { failure } from '../failures.js';
import { OutOfBounds, parseBoundedJson } from '../../domain/documents/bounded-json.js';

/** 4 MiB for a page of a list, 2 MiB for everything else (etcd takes objects up to 1.5 MiB). */
export const LIST_LIMIT = 4 * 1024 * 1024;
export const OBJECT_LIMIT = 2 * 1024 * 1024;

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
