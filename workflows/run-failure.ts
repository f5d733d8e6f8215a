import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { RunFailure } from '../domain/run/run-state.js';
import { FAILURES, isFailureType, type FailureType } from '../domain/failures.js';
import type { GateVerdict } from '../domain/gates/verdicts.js';

/**
 * A failed activity in the form the loop understands; null for anything else: that is a bug in this program and must fail the
 * workflow task, not the workflow.
 */
export function runFailure(error: unknown): RunFailure | null {
  if (!(error instanceof TemporalFailure)) return null;
  const cause = error instanceof ActivityFailure ? (error.cause ?? error) : error;
  const type = typeOf(cause);
  const details = detailsOf(cause);
  return {
    type,
    whoActs: FAILURES[type],
    message: cause.message,
    neverRan: type === 'NoWorker' || (MAY_NEVER_RUN.includes(type) && details['wrote'] === false),
    verdicts: verdictsOf(details['verdicts']),
  };
}

/** Failures after which a step is simply retried if it reports that it wrote nothing. */
const MAY_NEVER_RUN: readonly FailureType[] = ['Unguarded', 'UnknownStep'];

function typeOf(cause: Error): FailureType {
  if (cause instanceof ApplicationFailure) return knownType(cause.type);
  if (cause instanceof TimeoutFailure) {
    return cause.timeoutType === 'SCHEDULE_TO_START' ? 'NoWorker' : 'Timeout';
  }
  return cause instanceof CancelledFailure ? 'Timeout' : 'Unavailable';
}

/** The SDK's own text for an attempt that its worker abandoned at shutdown. */
const WORKER_WENT = 'WorkerShutdown';

/** An error that no adapter mapped to the closed list is a bug of ours. */
function knownType(type: string | null | undefined): FailureType {
  if (type === WORKER_WENT) return 'Unavailable';
  return typeof type === 'string' && isFailureType(type) ? type : 'Bug';
}

function detailsOf(cause: Error): Readonly<Record<string, unknown>> {
  const first: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return typeof first === 'object' && first !== null ? { ...first } : {};
}

/** Gates as the worker measured them; anything of another shape is left to the failure's message. */
function verdictsOf(given: unknown): readonly GateVerdict[] {
  return Array.isArray(given) ? given.filter(isVerdict) : [];
}

function isVerdict(value: unknown): value is GateVerdict {
  const texts = ['gate', 'hardness', 'verdict', 'detail', 'code'];
  return (
    typeof value === 'object' &&
    value !== null &&
    texts.every((name) => typeof Object.getOwnPropertyDescriptor(value, name)?.value === 'string')
  );
}

/** Types that no retry can cure: a person must act. */
export const NOT_RETRYABLE: readonly string[] = Object.entries(FAILURES)
  .filter(([, whoActs]) => whoActs !== 'retry')
  .map(([type]) => type);
