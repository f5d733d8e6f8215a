import { proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { ClusterActivities, GuardActivities } from '../activities/contract.js';
import type { ClusterMigrationInput } from './cluster-run.js';
import { NOT_RETRYABLE } from './run-failure.js';

/** Attempts of what may be repeated, before an operator is asked. Waiting for a worker takes none of them. */
const ATTEMPTS = 20;
const LONGEST_BACKOFF_MS = 30_000;
/** However often its workers died before, a guard is back after this time; until then nobody renews the fence. */
const LONGEST_GUARD_PAUSE_MS = 5_000;
/** A guard lives as long as its run; Temporal wants a number. */
const GUARD_LIFE_MS = 365 * 24 * 3600 * 1000;

type Queues = Pick<ClusterMigrationInput, 'stepTaskQueue' | 'guardTaskQueue' | 'timings'>;

/** Reads: cancelled at once, repeated until the cluster answers. `extraMs` is how long it is meant to take. */
export function reading(
  input: Queues,
  summary: string,
  extraMs = 0,
): Pick<ClusterActivities, 'observeCluster' | 'awaitChange' | 'soak'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    cancellationType: 'TRY_CANCEL',
    startToCloseTimeout: input.timings.stepTimeoutMs + extraMs,
    heartbeatTimeout: input.timings.heartbeatMs,
    retry: repeated(input, ATTEMPTS),
  });
}

/**
 * Writes of the run's own objects, idempotent by their nonce. They heartbeat like steps do: a worker that died in the
 * middle of one is then missed after seconds, and not after the longest time that a step may take.
 */
export function fencing(
  input: Queues,
  summary: string,
): Pick<ClusterActivities, 'takeFence' | 'closeRun'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    startToCloseTimeout: input.timings.stepTimeoutMs,
    heartbeatTimeout: input.timings.heartbeatMs,
    retry: repeated(input, ATTEMPTS),
  });
}

/**
 * Mutations: never repeated by the server. An attempt that timed out may still run on a worker that lost its
 * network, with the same epoch; only the fence taken anew makes the next attempt safe.
 */
export function stepping(input: Queues, summary: string): Pick<ClusterActivities, 'executeStep'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    startToCloseTimeout: input.timings.stepTimeoutMs,
    heartbeatTimeout: input.timings.heartbeatMs,
    retry: { maximumAttempts: 1 },
  });
}

/** The guard: on its own queue, repeated for ever, waited for when it is cancelled at the end. */
export function guarding(input: Queues): GuardActivities {
  return proxyActivities<GuardActivities>({
    taskQueue: input.guardTaskQueue,
    summary: 'guard',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    startToCloseTimeout: GUARD_LIFE_MS,
    heartbeatTimeout: input.timings.heartbeatMs,
    retry: { ...backoff(input), maximumInterval: guardPauseMs(input) },
  });
}

function guardPauseMs({ timings }: Queues): number {
  return Math.max(Math.min(timings.fenceRenewMs, LONGEST_GUARD_PAUSE_MS), timings.pollMs);
}

function common(input: Queues, summary: string): ActivityOptions {
  return {
    taskQueue: input.stepTaskQueue,
    summary: summary.slice(0, 200),
    allowEagerDispatch: false,
  };
}

function repeated(input: Queues, maximumAttempts: number): NonNullable<ActivityOptions['retry']> {
  return {
    ...backoff(input),
    maximumInterval: LONGEST_BACKOFF_MS,
    maximumAttempts,
    nonRetryableErrorTypes: [...NOT_RETRYABLE],
  };
}

function backoff({ timings }: Queues): NonNullable<ActivityOptions['retry']> {
  return { initialInterval: Math.max(timings.pollMs, 100), backoffCoefficient: 2 };
}
