import { z } from 'zod';
import { redact } from '../../domain/redaction.js';

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
  /** Null when the body was no Status: a proxy answered, or an API server under load. */
  readonly body: StatusBody | null;
  /** The server's words, bounded and without secrets. */
  readonly message: string;
  /** From Retry-After or the Status, in ms. */
  readonly retryAfterMs: number | null;
}

const MAX_MESSAGE = 400;
/**
 * A refused patch is quoted with the whole object that it would have made, before the reason: longer than any message
 * that we keep, and nobody's business (apiserver pkg/endpoints/handlers/patch.go; recorded from 1.30.14).
 */
const QUOTED_OBJECT = /"\{\\"(?:[^"\\]|\\.)*"/g;
/** A server may ask for more; nobody waits longer unseen. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

export function refusedAnswer(
  status: number,
  text: string,
  retryAfter: string | null,
  secrets: readonly string[],
): RefusedAnswer {
  const body = statusBody(text);
  const words = (body?.message ?? text)
    .replaceAll(QUOTED_OBJECT, '"{…}"')
    .replace(/\s+/g, ' ')
    .trim();
  return {
    status,
    body,
    message: redact(words, secrets).slice(0, MAX_MESSAGE),
    retryAfterMs: retryAfterMs(retryAfter, body),
  };
}

/** The Status in a text, or null. */
function statusBody(text: string): StatusBody | null {
  try {
    const result = StatusBody.safeParse(JSON.parse(text));
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

/** A disruption budget refuses an eviction with 429, which is an answer and no overload. */
export function isDisruptionBudget({ status, body }: RefusedAnswer): boolean {
  if (status !== 429 || body === null) return false;
  const causes = body.details?.causes ?? [];
  return (
    causes.some((cause) => cause.reason === 'DisruptionBudget') ||
    /disruption budget/i.test(body.message)
  );
}
