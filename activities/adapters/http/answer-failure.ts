import type { ApplicationFailure } from '@temporalio/common';
import { ApplicationFailure as Known } from '@temporalio/common';
import { z } from 'zod';
import type { FailureType } from '../../../domain/failures.js';
import { oneLine } from '../../../domain/findings/plain-text.js';
import { redact, withoutKnown } from '../../../domain/redaction.js';
import { parseBoundedJson } from '../../../domain/yaml/bounded-json.js';
import { errorCode, failure } from '../../failures.js';

/** Failure types for reasons of one API whose meaning differs from their HTTP status elsewhere. */
export type ReasonTypes = Readonly<Record<string, FailureType>>;

interface Meaning {
  readonly type: FailureType;
  readonly fix: string;
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  400: { type: 'InvalidInput', fix: '' },
  401: {
    type: 'Unauthorized',
    fix: 'The credential is unknown or expired: renew it in the kubeconfig, then retry.',
  },
  403: {
    type: 'Forbidden',
    fix: 'Grant this credential the named right, then retry.',
  },
  405: { type: 'NotSupported', fix: '' },
  406: { type: 'NotSupported', fix: '' },
  409: { type: 'Conflict', fix: '' },
  410: { type: 'Conflict', fix: '' },
  412: { type: 'Conflict', fix: '' },
  413: { type: 'InvalidInput', fix: '' },
  415: { type: 'NotSupported', fix: '' },
  422: { type: 'InvalidInput', fix: '' },
  429: { type: 'Throttled', fix: '' },
  504: { type: 'Timeout', fix: 'Whether it took effect is unknown.' },
};

/**
 * An answer that is not 2xx as a failure of the closed list; details carry `status`, `reason` and what it is about. A 404
 * with a Status is a `Conflict` (the object is gone), and on create `PreconditionFailed` (its namespace is missing). A 404
 * without one is `NotSupported`: the responder does not know the kind, so it is no proof of absence.
 */
export function answerFailure(
  what: string,
  answer: RefusedAnswer,
  method: string,
  reasonTypes: ReasonTypes = {},
): ApplicationFailure {
  const { status, body, message, retryAfterMs } = answer;
  const reason = body?.reason ?? '';
  const { type, fix } = meaningOf(answer, method, reasonTypes);
  const said = message === '' ? '' : `: ${message}`;
  const label = reason === '' ? String(status) : `${String(status)} ${reason}`;
  return failure(type, `${what}: answered ${label}${said}${fix === '' ? '' : ` ${fix}`}`, {
    details: {
      status,
      ...(reason === '' ? {} : { reason }),
      ...subjectOf(body),
      ...(isDisruptionBudget(answer) ? { budget: true } : {}),
    },
    ...(retryAfterMs === null ? {} : { nextRetryDelayMs: retryAfterMs }),
  });
}

/** What the Status is about: distinguishes a missing object from a server that does not know its kind. */
function subjectOf(body: StatusBody | null): { kind?: string; name?: string } {
  const { kind, name } = body?.details ?? {};
  return { ...(kind === undefined ? {} : { kind }), ...(name === undefined ? {} : { name }) };
}

function meaningOf(
  { status, body }: RefusedAnswer,
  method: string,
  reasonTypes: ReasonTypes,
): Meaning {
  // A read changes nothing, so nothing can conflict: the request can be repeated.
  if (status === 409 && method === 'GET') return { type: 'Unavailable', fix: '' };
  const special = body === null ? undefined : reasonTypes[body.reason];
  if (special !== undefined) return { type: special, fix: '' };
  if (status === 404) return missing(body !== null, method);
  if (status >= 300 && status < 400) {
    return { type: 'NotSupported', fix: 'Redirects are not followed: give the final address.' };
  }
  return MEANINGS[status] ?? { type: status >= 500 ? 'Unavailable' : 'InvalidInput', fix: '' };
}

function missing(hasStatus: boolean, method: string): Meaning {
  if (!hasStatus) {
    return {
      type: 'NotSupported',
      fix: 'This server does not serve it: check address and version.',
    };
  }
  return method === 'POST'
    ? { type: 'PreconditionFailed', fix: 'Create what is missing, then retry.' }
    : { type: 'Conflict', fix: '' };
}

/** Codes of an error in the TLS handshake: the peer was reached, and one side refused the other. */
export const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_)/;
export const TIMEOUT_CODE = /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;

/**
 * Any error before the answer was complete, as a failure of the closed list. For a mutation `Unavailable` and `Timeout` mean
 * that the outcome is unknown: observe before retrying.
 */
export function connectionFailure(
  what: string,
  error: unknown,
  expired: boolean,
): ApplicationFailure {
  if (error instanceof Known) return error;
  // Only the code: messages and members of HTTP client errors contain addresses, sockets and headers.
  const code = errorCode(error);
  if (expired || TIMEOUT_CODE.test(code)) {
    return failure('Timeout', `${what}: no complete answer in time`, { details: { reason: code } });
  }
  if (TLS_CODE.test(code)) {
    return failure(
      'Unauthorized',
      `${what}: the TLS connection was refused (${code}). ${tlsRemedy(code)}`,
      { details: { reason: code } },
    );
  }
  return failure(
    'Unavailable',
    `${what}: the connection failed (${code === '' ? 'cut off' : code})`,
    {
      details: { reason: code },
    },
  );
}

/**
 * Which certificate is at fault and what to do; codes of OpenSSL's verification as Node names them
 * (X509_verify_cert_error_string(3)).
 */
function tlsRemedy(code: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return "The server's certificate, or that of its authority, has expired: renew it there (kubeadm: `kubeadm certs check-expiration`, then `kubeadm certs renew apiserver`), or set this machine's clock right if it is ahead.";
    case 'CERT_NOT_YET_VALID':
      return "The server's certificate, or that of its authority, is not valid yet: compare this machine's clock with the server's.";
    default:
      return "The server's certificate must be signed by the authority in the kubeconfig and name its address; a client certificate must be valid and known to the server.";
  }
}

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
type StatusBody = z.output<typeof StatusBody>;

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
