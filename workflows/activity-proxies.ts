import { proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { ClusterActivities, GuardActivities } from '../activities/contract.js';
import type { ClusterMigrationInput } from './cluster-run.js';
import { NOT_RETRYABLE } from './run-failure.js';

const LONGEST_BACKOFF_MS = 30_000;
/** However often its workers died before, a guard is back after this time; until then nobody renews the fence. */
const LONGEST_GUARD_PAUSE_MS = 5_000;
/** A guard lives as long as its run; Temporal wants a number. */
const GUARD_LIFE_MS = 365 * 24 * 3600 * 1000;
/** While a failed step is recovered from no command applies, so whatever is asked for then is bounded. */
const IMPATIENT_MS = 60_000;
/** A step that no worker takes in this time never ran: the run is at a safe point again. */
const STEP_STARTS_WITHIN_MS = 10_000;
/** The end of a run waits for a worker, but not for ever. */
const CLOSES_WITHIN_MS = 120_000;

type Queues = Pick<
  ClusterMigrationInput,
  'stepTaskQueue' | 'waitTaskQueue' | 'guardTaskQueue' | 'timings'
>;

/**
 * Observations: cancelled at once, repeated until the cluster answers, however long that takes: an outage ends by
 * itself. `patient` ones wait for workers and cluster without end, for any command ends them.
 */
export function observing(
  input: Queues,
  summary: string,
  patient: boolean,
): Pick<ClusterActivities, 'observeCluster' | 'checkStart'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    cancellationType: 'TRY_CANCEL',
    startToCloseTimeout: input.timings.stepTimeoutMs,
    heartbeatTimeout: input.timings.heartbeatMs,
    ...(patient ? {} : { scheduleToCloseTimeout: IMPATIENT_MS }),
    retry: repeated(input),
  });
}

/** Waits: on their own queue, so that clusters that wait for days take no slot from one in a handover. */
export function waiting(
  input: Queues,
  summary: string,
  lastsMs: number,
): Pick<ClusterActivities, 'awaitChange' | 'restFence'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    taskQueue: input.waitTaskQueue,
    cancellationType: 'TRY_CANCEL',
    startToCloseTimeout: input.timings.stepTimeoutMs + lastsMs,
    heartbeatTimeout: input.timings.heartbeatMs,
    retry: repeated(input),
  });
}

/** Soaks: like waits, but awaited when they are cancelled, for they report how far they came. */
export function soaking(
  input: Queues,
  summary: string,
  lastsMs: number,
): Pick<ClusterActivities, 'soak'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    taskQueue: input.waitTaskQueue,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    startToCloseTimeout: input.timings.stepTimeoutMs + lastsMs,
    heartbeatTimeout: input.timings.heartbeatMs,
    retry: repeated(input),
  });
}

/**
 * The fence, idempotent by its nonce. It heartbeats like steps do: a worker that died in the middle of a request is
 * then missed after seconds, and not after the longest time that a step may take.
 */
export function fencing(
  input: Queues,
  summary: string,
  patient: boolean,
): Pick<ClusterActivities, 'takeFence'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    startToCloseTimeout: input.timings.stepTimeoutMs,
    heartbeatTimeout: input.timings.heartbeatMs,
    ...(patient ? {} : { scheduleToCloseTimeout: IMPATIENT_MS }),
    retry: repeated(input),
  });
}

/** The end of a run: where no worker is there to let the fence go, the outcome says so. */
export function closing(input: Queues, summary: string): Pick<ClusterActivities, 'closeRun'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    startToCloseTimeout: input.timings.stepTimeoutMs,
    scheduleToCloseTimeout: CLOSES_WITHIN_MS,
    heartbeatTimeout: input.timings.heartbeatMs,
    retry: repeated(input),
  });
}

/**
 * Mutations: never repeated by the server. An attempt that timed out may still run on a worker that lost its
 * network, with the same epoch; only a new fence makes the next attempt safe.
 */
export function stepping(input: Queues, summary: string): Pick<ClusterActivities, 'executeStep'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    scheduleToStartTimeout: STEP_STARTS_WITHIN_MS,
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

/** Without a bound: what ends a repeated read is its success, a command, or a failure that no repetition cures. */
function repeated(input: Queues): NonNullable<ActivityOptions['retry']> {
  return {
    ...backoff(input),
    maximumInterval: LONGEST_BACKOFF_MS,
    nonRetryableErrorTypes: [...NOT_RETRYABLE],
  };
}

function backoff({ timings }: Queues): NonNullable<ActivityOptions['retry']> {
  return { initialInterval: Math.max(timings.pollMs, 100), backoffCoefficient: 2 };
}
