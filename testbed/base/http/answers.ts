import type { ApiRefusal, StatusDetails } from './refusal.js';
import type { JsonAnswer, TextAnswer } from './request.js';

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

export function statusAnswer(
  code: number,
  reason: string,
  message: string,
  details?: StatusDetails,
): JsonAnswer {
  const seconds = details?.retryAfterSeconds;
  return {
    ...json(code, statusObject({ code, reason, message, ...(details && { details }) })),
    ...(seconds === undefined ? {} : { headers: { 'Retry-After': String(seconds) } }),
  };
}

/** `details` name the requested resource. A Status for a bad request, or for an error without a reason, has none. */
export function refusalAnswer(refused: ApiRefusal, details: StatusDetails = {}): JsonAnswer {
  const { code, reason, message } = refused;
  const isPlain = code === 400 || reason === '';
  return statusAnswer(code, reason, message, refused.details ?? (isPlain ? undefined : details));
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

export const NOT_SERVED = statusAnswer(
  404,
  'NotFound',
  'the server could not find the requested resource',
  {},
);

/** A path that nothing serves, not even an API group: the mux answers in plain text instead of a Status. */
export const NO_SUCH_PATH: TextAnswer = { kind: 'text', code: 404, text: '404 page not found\n' };

export const METHOD_NOT_ALLOWED = statusAnswer(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
);

export function badRequestAnswer(message: string): JsonAnswer {
  return statusAnswer(400, 'BadRequest', message);
}

/** 410: the requested version is no longer in the watch cache; the client must list again. */
export function expired(message: string): StatusText {
  return { code: 410, reason: 'Expired', message };
}
