import type { ApiRefusal } from './refusal.js';
import type { JsonAnswer, TextAnswer } from './request.js';

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly {
    readonly reason: string;
    readonly message: string;
    readonly field?: string;
  }[];
}

export interface StatusText {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails;
  /** For an expired list: the token from which the rest can still be read. */
  readonly continue?: string;
}

/** A `Status` object, serialized as apimachinery's metav1.Status. */
export function statusObject(text: StatusText): object {
  const { code, reason, message, details, continue: token } = text;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: token === undefined ? {} : { continue: token },
    status: code < 400 ? 'Success' : 'Failure',
    ...(message === '' ? {} : { message }),
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

export function statusAnswer(text: StatusText): JsonAnswer {
  const seconds = text.details?.retryAfterSeconds;
  return {
    kind: 'json',
    code: text.code,
    body: statusObject(text),
    ...(seconds === undefined ? {} : { headers: { 'Retry-After': String(seconds) } }),
  };
}

/** `details` name the requested resource. A Status for a bad request, or for an error without a reason, has none. */
export function refusalAnswer(refused: ApiRefusal, details: StatusDetails = {}): JsonAnswer {
  const { code, reason, message } = refused;
  const isPlain = code === 400 || reason === '';
  const about = refused.details ?? (isPlain ? undefined : details);
  return statusAnswer({
    code,
    reason,
    message,
    ...(about === undefined ? {} : { details: about }),
  });
}

export function json(code: number, body: unknown): JsonAnswer {
  return { kind: 'json', code, body };
}

export function success(details: StatusDetails): JsonAnswer {
  return json(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details,
  });
}

export const NOT_SERVED = statusAnswer({
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
});

/** A path that nothing serves, not even an API group: the mux answers in plain text instead of a Status. */
export const NO_SUCH_PATH: TextAnswer = { kind: 'text', code: 404, text: '404 page not found\n' };

export const METHOD_NOT_ALLOWED = statusAnswer({
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
});

export function badRequestAnswer(message: string): JsonAnswer {
  return statusAnswer({ code: 400, reason: 'BadRequest', message });
}

/** 410: the requested version is no longer in the watch cache; the client must list again. */
export function expired(message: string): StatusText {
  return { code: 410, reason: 'Expired', message };
}
