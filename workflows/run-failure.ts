import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { RunFailure } from '../domain/advance/run-state.js';
import { FAILURES, isFailureType, type FailureType } from '../domain/failures.js';

/**
 * What a failed activity says, as the loop understands it; null for anything that is no failure of an activity:
 * that is a mistake in this program and must fail the workflow task, not the workflow.
 */
export function runFailure(error: unknown): RunFailure | null {
  if (!(error instanceof TemporalFailure)) return null;
  const cause = error instanceof ActivityFailure ? (error.cause ?? error) : error;
  const type = typeOf(cause);
  return { type, whoActs: FAILURES[type], message: cause.message, outcomeUnknown: true };
}

function typeOf(cause: Error): FailureType {
  if (cause instanceof ApplicationFailure) return knownType(cause.type);
  if (cause instanceof TimeoutFailure) return 'Timeout';
  return cause instanceof CancelledFailure ? 'Timeout' : 'Unavailable';
}

/** The SDK's own words for an attempt that its worker gave up because it was told to go. */
const WORKER_WENT = 'WorkerShutdown';

/** An error that no adapter turned into the closed list is a mistake of ours. */
function knownType(type: string | null | undefined): FailureType {
  if (type === WORKER_WENT) return 'Unavailable';
  return typeof type === 'string' && isFailureType(type) ? type : 'Bug';
}

/** Types that no further attempt can cure: somebody must act. */
export const NOT_RETRYABLE: readonly string[] = Object.entries(FAILURES)
  .filter(([, whoActs]) => whoActs !== 'retry')
  .map(([type]) => type);
