import { CancelledFailure } from '@temporalio/common';
import type { FailureType } from '../../domain/failures.js';
import type { StepInput } from '../contract.js';
import type { ActivityLog } from '../dependencies.js';
import { failure, failureDetailsOf, failureTypeOf } from '../failures.js';

/**
 * Runs a step's work; the details of every failure say whether a mutation was started before it (`wrote`). Without one
 * nothing in the cluster has changed, and the run need not treat the outcome as unknown.
 */
export async function tellingWhatItWrote<T>(
  log: ActivityLog,
  { cluster, step }: Pick<StepInput, 'cluster' | 'step'>,
  counts: { readonly intents: number },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const wrote = counts.intents > 0;
    if (error instanceof CancelledFailure) {
      throw new CancelledFailure(error.message, [{ wrote }], error.cause);
    }
    const type = failureTypeOf(error);
    if (type === null) logMistake(log, { cluster: cluster.name, step: step.name, error });
    throw telling(error, type, wrote);
  }
}

/** The same failure with `wrote`; what no adapter mapped to the closed list is a bug of ours. */
function telling(error: unknown, type: FailureType | null, wrote: boolean): Error {
  const message = error instanceof Error ? error.message : String(error);
  const details = { ...failureDetailsOf(error), wrote };
  const delay = retryDelayOf(error);
  return failure(type ?? 'Bug', message, {
    details,
    ...(delay === null ? {} : { nextRetryDelayMs: delay }),
    ...(type === null ? { cause: error } : causeOf(error)),
  });
}

function causeOf(error: unknown): { readonly cause?: unknown } {
  return error instanceof Error && error.cause !== undefined ? { cause: error.cause } : {};
}

function retryDelayOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('nextRetryDelay' in error)) return null;
  return typeof error.nextRetryDelay === 'number' ? error.nextRetryDelay : null;
}

/** The failure itself carries no stack: only the worker's log shows where the bug is. */
function logMistake(
  log: ActivityLog,
  {
    error,
    ...fields
  }: { readonly error: unknown; readonly cluster: string; readonly step: string },
): void {
  log.warn('a bug in a step', {
    ...fields,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
}
