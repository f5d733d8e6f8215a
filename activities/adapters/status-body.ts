import { z } from 'zod';
import { oneLine } from '../../domain/plain-text.js';
import { redact, withoutKnown } from '../../domain/redaction.js';
import { parseBoundedJson } from '../../domain/documents/bounded-json.js';

/** meta/v1 Status as far as failures need it. Source: k8s.io/apimachinery pkg/apis/meta/v1/types.go */
const StatusBody = z.object({
  kind: z.literal('Status'),
  message: z.string().default(''),
  reason: z.string().default(''),
  details: z
    .object({
      kind: z.string().optional(),
      name: z.string().optional(),
      retryAfterSeconds: z.number().nonnegative().optional(),
      causes: z.array(z.object({ reason: z.string().optional() })).optional(),
    })
    .nullish(),
});
export type StatusBody = z.output<typeof StatusBody>;

/** An answer that is not 2xx. */
export interface RefusedAnswer {
  readonly status: number;
  /** Null when the body was not a Status: a proxy answered, or an API server under load. */
  readonly body: StatusBody | null;
  /** The server's message, bounded and without secrets. */
  readonly message: string;
  /** From Retry-After or the Status, in ms. */
  readonly retryAfterMs: number | null;
}

const MAX_MESSAGE = 400;
/** Input limit of a message, with room for what is redacted from it. A server may send megabytes. */
const MOST_READ = 8 * 1024;
/** A server may ask for more; longer waits must be visible to Temporal. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

export function refusedAnswer(
  status: number,
  text: string,
  retryAfter: string | null,
  secrets: readonly string[],
): RefusedAnswer {
  const body = statusBody(text);
  // Known secrets are removed before truncation, which could leave half of one.
  const whole = withoutKnown(withoutQuotedObject(body?.message ?? text), secrets);
  const words = oneLine(whole.slice(0, MOST_READ)).replace(/\s+/g, ' ').trim();
  return {
    status,
    body,
    message: redact(words).slice(0, MAX_MESSAGE),
    retryAfterMs: retryAfterMs(retryAfter, body),
  };
}

/** A refusal quotes one object; each makes two parts of the text. */
const MOST_PARTS = 16;
const QUOTE_BEGINS = '"{\\"';

/**
 * A refused patch is quoted with the whole resulting object before the reason: longer than any message we keep, and possibly
 * confidential (apiserver pkg/endpoints/handlers/patch.go; recorded from 1.30.14). An unterminated quote is removed with
 * everything after it.
 */
function withoutQuotedObject(text: string): string {
  const kept: string[] = [];
  for (let from = 0; ;) {
    const begin = kept.length > MOST_PARTS ? -1 : text.indexOf(QUOTE_BEGINS, from);
    if (begin < 0) return [...kept, text.slice(from)].join('');
    kept.push(text.slice(from, begin), '"{…}"');
    const end = endOfQuote(text, begin + QUOTE_BEGINS.length);
    if (end === null) return kept.join('');
    from = end;
  }
}

/** Position after the next unescaped quote; null when there is none. */
function endOfQuote(text: string, from: number): number | null {
  for (let at = from; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === BACKSLASH) at += 1;
    else if (character === QUOTE) return at + 1;
  }
  return null;
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/** The Status in a text, or null. */
function statusBody(text: string): StatusBody | null {
  try {
    const result = StatusBody.safeParse(parseBoundedJson(text));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}

function retryAfterMs(header: string | null, body: StatusBody | null): number | null {
  const fromBody = body?.details?.retryAfterSeconds;
  const seconds = header !== null && /^\d+$/.test(header) ? Number(header) : fromBody;
  return seconds === undefined ? null : Math.min(seconds * 1000, MAX_RETRY_AFTER_MS);
}

/** A disruption budget refuses an eviction with 429, which is an answer, not overload. */
export function isDisruptionBudget({ status, body }: RefusedAnswer): boolean {
  if (status !== 429 || body === null) return false;
  const causes = body.details?.causes ?? [];
  return (
    causes.some((cause) => cause.reason === 'DisruptionBudget') ||
    /disruption budget/i.test(body.message)
  );
}
