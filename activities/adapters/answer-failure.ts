import type { ApplicationFailure } from '@temporalio/common';
import type { FailureType } from '../../domain/failures.js';
import { failure } from '../failures.js';
import { isDisruptionBudget, type RefusedAnswer, type StatusBody } from './status-body.js';

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
