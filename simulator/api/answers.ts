import type { ApiRefusal } from '../model.js';
import type { JsonAnswer } from './request.js';

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
}

/** A `Status` object, as apimachinery's metav1.Status is written. */
export function statusObject({ code, reason, message, details }: StatusText): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
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

export function refusalAnswer(refused: ApiRefusal, details: StatusDetails = {}): JsonAnswer {
  const { code, reason, message } = refused;
  return statusAnswer({ code, reason, message, details });
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

export function methodNotAllowed(method: string): JsonAnswer {
  return statusAnswer({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `the server does not allow this method on the requested resource (${method})`,
    details: {},
  });
}

export function badRequestAnswer(message: string): JsonAnswer {
  return statusAnswer({ code: 400, reason: 'BadRequest', message });
}

/** 410: the version asked for is no longer remembered; the client must list again. */
export function expired(message: string): StatusText {
  return { code: 410, reason: 'Expired', message };
}
