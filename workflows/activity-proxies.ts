import { proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { ClusterActivities, GuardActivities } from '../activities/contract.js';
import type { ClusterMigrationInput } from './messages.js';
import { NOT_RETRYABLE } from './run-failure.js';

const LONGEST_BACKOFF_MS = 30_000;
/**
 * A guard is retried at most this long after its worker died, however often that happened; until then the fence is not
 * renewed.
 */
const LONGEST_GUARD_PAUSE_MS = 5_000;
/** A guard lives as long as its run, but Temporal requires a number. */
const GUARD_LIFE_MS = 365 * 24 * 3600 * 1000;
/** No command applies during the recovery of a failed step, so every activity of a recovery is bounded. */
const IMPATIENT_MS = 60_000;
/** A step that no worker takes within this time never ran: the run is back at a safe point. */
const STEP_STARTS_WITHIN_MS = 10_000;
/** An admission that lasts so long hangs: another worker may have more luck. */
const ADMITS_WITHIN_MS = 60_000;
/** The end of a run waits for a worker, but not forever. */
const CLOSES_WITHIN_MS = 120_000;

type Queues = Pick<
  ClusterMigrationInput,
  'stepTaskQueue' | 'waitTaskQueue' | 'guardTaskQueue' | 'timings'
>;

/**
 * Observations: cancelled at once, retried until the cluster answers, however long an outage takes. `patient` ones wait for
 * workers and cluster without a limit, because any command ends them.
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

/**
 * Whose a command is. It waits for a worker as long as it takes, as a command always has; a worker that took it and is gone is
 * noticed after seconds, because a rollback may wait for it.
 */
export function admitting(input: Queues, summary: string): Pick<ClusterActivities, 'admitCommand'> {
  return proxyActivities<ClusterActivities>({
    ...common(input, summary),
    startToCloseTimeout: ADMITS_WITHIN_MS,
    heartbeatTimeout: input.timings.heartbeatMs,
    retry: repeated(input),
  });
}

/** Waits: on their own queue, so that clusters that wait for days take no slot from a cluster in a handover. */
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

/** Soaks: like waits, but awaited when cancelled, because they report their progress. */
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
 * The fence, idempotent by its nonce. It heartbeats like steps do: a worker that died in the middle of a request is then
 * noticed after seconds, not after the longest time that a step may take.
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

/** The end of a run: when no worker is available to release the fence, the outcome says so. */
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
 * Mutations: never retried by the server. An attempt that timed out may still run on a worker that lost its
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

/** The guard: on its own queue, retried forever, and awaited when it is cancelled at the end. */
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

/** Unbounded: a retried read ends by success, a command, or a failure that no retry can cure. */
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
