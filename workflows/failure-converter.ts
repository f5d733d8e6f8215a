import {
  ApplicationFailure,
  DefaultFailureConverter,
  type FailureConverter,
  TemporalFailure,
} from '@temporalio/common';
import { ENCODES_FAILURES } from '../config/names.js';
import { isFailureType } from '../domain/failures.js';

const PLAIN = new DefaultFailureConverter();
/** Messages and stack traces become a payload, which the worker's codec encrypts. */
const ENCODED = new DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * How workflows write their failures; the build finds it by this name. It changes no command, so that a history replays with keys
 * and without.
 */
export const failureConverter: FailureConverter = {
  errorToFailure: (error, ...rest) => {
    const isEncoded = Reflect.get(globalThis, ENCODES_FAILURES) === true && isOurs(error);
    return (isEncoded ? ENCODED : PLAIN).errorToFailure(error, ...rest);
  },
  failureToError: (failure, ...rest) => PLAIN.failureToError(failure, ...rest),
};

/**
 * Anything else is a bug in a program. It stays plain, because the log of a worker and the answer to a query have nothing but its
 * text.
 */
function isOurs(error: unknown): boolean {
  if (error instanceof ApplicationFailure) return isFailureType(error.type ?? '');
  return error instanceof TemporalFailure;
}
