import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { FAILURES, type FailureType, isFailureType } from '../domain/failures.js';
import { severalLines } from '../domain/findings/plain-text.js';
import { redact, redactJson } from '../domain/redaction.js';

/** Plain JSON attached to a failure, for code that must distinguish cases of one type. */
export interface FailureDetails {
  /** HTTP status of the answer, if there was one. */
  readonly status?: number;
  /** Reason of the Kubernetes `Status`, for example `AlreadyExists`. */
  readonly reason?: string;
  readonly [key: string]: unknown;
}

export interface FailureOptions {
  readonly details?: FailureDetails;
  /** When a retry is allowed, in ms; from Retry-After. */
  readonly nextRetryDelayMs?: number;
  /** Kept only as redacted text: errors of HTTP clients carry headers and credentials. */
  readonly cause?: unknown;
}

/** Made safe, because it may hold untrusted text and goes into histories, logs and onto screens. */
const LONGEST_MESSAGE = 8 * 1024;

function plain(message: string): string {
  return redact(severalLines(message.slice(0, LONGEST_MESSAGE)));
}

/** What an error says, without secrets and control characters. */
export function plainMessage(error: unknown): string {
  return plain(nameAndMessage(error).message);
}

/**
 * The only way an activity fails: a type of the closed list (`domain/failures.ts`), a message without secrets. Temporal
 * retries it only if the list assigns it to the program. A throttled attempt is not an incident, so it carries the BENIGN
 * category (the SDK logs it at debug level and leaves it out of error metrics).
 */
export function failure(
  type: FailureType,
  message: string,
  options: FailureOptions = {},
): ApplicationFailure {
  const { details, nextRetryDelayMs, cause } = options;
  return ApplicationFailure.create({
    type,
    message: plain(message),
    nonRetryable: FAILURES[type] !== 'retry',
    ...(details === undefined ? {} : { details: [redactJson(details)] }),
    ...(nextRetryDelayMs === undefined ? {} : { nextRetryDelay: nextRetryDelayMs }),
    ...(cause === undefined ? {} : { cause: causeWithoutSecrets(cause) }),
    ...(type === 'Throttled' ? { category: ApplicationFailureCategory.BENIGN } : {}),
  });
}

/** The type of a failure of ours; null for cancellation and anything foreign. */
export function failureTypeOf(error: unknown): FailureType | null {
  if (!(error instanceof ApplicationFailure)) return null;
  const { type } = error;
  return typeof type === 'string' && isFailureType(type) ? type : null;
}

/** The details given to `failure`; empty when there are none. */
export function failureDetailsOf(error: unknown): FailureDetails {
  if (!(error instanceof ApplicationFailure)) return {};
  const first: unknown = error.details?.[0];
  return typeof first === 'object' && first !== null ? { ...first } : {};
}

function causeWithoutSecrets(cause: unknown): Error {
  const { name, message } = nameAndMessage(cause);
  const error = new Error(plain(message));
  error.name = name;
  // A stack begins with the message, and adds nothing to the type and the request.
  error.stack = `${name}: ${error.message}`;
  return error;
}

/** By members: errors of Node itself belong to another realm in test environments. */
function nameAndMessage(cause: unknown): { name: string; message: string } {
  if (typeof cause !== 'object' || cause === null || !('message' in cause)) {
    return { name: 'Error', message: typeof cause === 'string' ? cause : 'unknown' };
  }
  const name = 'name' in cause && typeof cause.name === 'string' ? cause.name : 'Error';
  return { name, message: String(cause.message) };
}

/**
 * The `code` of a system error (`ENOENT`, `ECONNRESET`, …), of its cause where the error itself has none, or ''.
 * Reads members instead of using `instanceof`: errors of Node itself belong to another realm in test environments.
 */
export function errorCode(error: unknown): string {
  let at: unknown = error;
  for (let depth = 0; depth < 4 && typeof at === 'object' && at !== null; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = 'cause' in at ? at.cause : null;
  }
  return '';
}
