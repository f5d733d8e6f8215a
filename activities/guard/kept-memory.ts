import { ApplicationFailure } from '@temporalio/common';
import type { ActivityScope } from '../dependencies.js';
import { failure, failureTypeOf, plainMessage } from '../failures.js';

/** A guard's scope that knows what the guard remembers. */
export interface MemoryScope {
  readonly scope: ActivityScope;
  /** The error with which this attempt ends, with that memory where no attempt follows. */
  readonly failed: (error: unknown) => unknown;
}

/**
 * The server hands the last heartbeat to the next attempt of a guard, and to the workflow where a worker went silent; a failure that
 * is final has nothing but its own details. So the memory travels in these: as the second, after what the failure itself has to
 * say. A failure that is retried stays small, because the server keeps it for people to see.
 */
export function rememberScope(scope: ActivityScope): MemoryScope {
  let memory = scope.lastHeartbeat;
  return {
    scope: {
      ...scope,
      heartbeat: (details) => {
        memory = details;
        scope.heartbeat(details);
      },
    },
    failed: (error) => {
      if (memory === undefined || !isFinal(error, scope.signal)) return error;
      return withMemory(error, memory);
    },
  };
}

/** Once its cancellation is requested, the server retries no attempt, whatever it fails with. */
function isFinal(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof ApplicationFailure && error.nonRetryable === true);
}

function withMemory(error: unknown, memory: unknown): ApplicationFailure {
  const known = failureTypeOf(error) !== null && error instanceof ApplicationFailure;
  const ours = known ? error : failure('Unavailable', plainMessage(error), { cause: error });
  const { message, type, nonRetryable, details, cause, nextRetryDelay, category } = ours;
  const withIt = [details?.[0] ?? {}, memory];
  return new ApplicationFailure(
    ...([message, type, nonRetryable, withIt, cause, nextRetryDelay, category] as const),
  );
}
