import { ApplicationFailure } from '@temporalio/workflow';
import type { GuardMemory, GuardReport, Materials } from '../activities/contract.js';
import type { MigrationPolicy } from '../domain/policy.js';
import type { RunOutcome } from '../domain/run/outcome.js';
import type { RunState } from '../domain/run/run-state.js';
import type { RunStatus } from '../domain/run/run-status.js';
import type { Target } from '../domain/vocabulary.js';
import type { RunTimings } from '../domain/policy.js';

/** Input of one migration: plain, frozen, already validated; it never holds a credential. */
export interface ClusterMigrationInput {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly region: string;
  /** Empty for a cluster on its own. */
  readonly fleet: string;
  readonly wave: string;
  readonly target: Target;
  readonly policy: MigrationPolicy;
  readonly materials: Materials;
  readonly planDigest: string;
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  readonly timings: RunTimings;
  /** Task queues of the cluster's region: config/names.ts. */
  readonly stepTaskQueue: string;
  readonly waitTaskQueue: string;
  readonly guardTaskQueue: string;
  /** Displaces a run that holds the fence and no longer exists. */
  readonly takeOver?: { readonly reason: string };
  /** Events after which the run continues as new at its next safe point; only tests need another number. */
  readonly continueAfterEvents?: number;
  /** Only between executions of one run. */
  readonly carried?: CarriedRun;
}

/** What the guards of a run observed; both null when none ever reported. */
export interface GuardEnd {
  readonly ownership: GuardReport['ownership'] | null;
  /** The memory from which the next guard of this run continues. */
  readonly memory: GuardMemory | null;
}

/** Since when the run has been in its current activity, on the server's clock. */
export interface RunSince {
  /** `doingKey` of its state. */
  readonly doing: string;
  readonly atMs: number;
}

/** What one execution of a run passes to the next. */
export interface CarriedRun {
  readonly state: RunState;
  /** Null or absent when an older build continued the run. */
  readonly since?: RunSince | null;
  readonly guard: GuardEnd;
}

export interface ClusterStatus extends RunStatus {
  readonly workflowId: string;
  readonly runId: string;
  readonly region: string;
  readonly fleet: string;
  readonly wave: string;
  readonly planDigest: string;
  /** Start of the current activity: the step in flight, the hold, the pause. Epoch ms on the server's clock. */
  readonly sinceMs: number | null;
}

/** How a run ended, with the reports of its guard and its evidence. */
export interface ClusterOutcome extends RunOutcome {
  readonly workflowId: string;
  /** The run: the first of its executions. */
  readonly runId: string;
  readonly lastExecution: string;
  readonly cluster: string;
  readonly epoch: number;
  /** From the guard's own observations; null when it never ran. */
  readonly guard: GuardReport['ownership'] | null;
  readonly evidence: { readonly records: number; readonly head: string } | null;
  /** What went wrong while closing; the cluster is not touched by it. */
  readonly closing: string;
}

/**
 * A last check of an input that was validated before it was sent: a run that starts with invalid input would fail its
 * workflow tasks forever instead of reporting it.
 */
export function refuseBadInput(input: ClusterMigrationInput): void {
  const problems = [
    ...blank(input, [
      'region',
      'stepTaskQueue',
      'waitTaskQueue',
      'guardTaskQueue',
      'actor',
      'reason',
    ]),
    ...blank(input.cluster, ['name', 'uid']),
    ...badTimings(input),
    ...badTarget(input.target),
  ];
  if (problems.length === 0) return;
  throw ApplicationFailure.create({
    type: 'InvalidInput',
    message: `the migration was not started: ${problems.join('; ')}`,
    nonRetryable: true,
  });
}

function blank<T>(given: T, names: readonly (keyof T & string)[]): readonly string[] {
  return names
    .filter((name) => typeof given[name] !== 'string' || given[name] === '')
    .map((name) => `${name} is empty`);
}

function badTimings({ timings }: ClusterMigrationInput): readonly string[] {
  return Object.entries(timings)
    .filter(([, ms]) => !Number.isFinite(ms) || ms <= 0)
    .map(([name]) => `timing ${name} must be a positive number of milliseconds`);
}

function badTarget(target: unknown): readonly string[] {
  return target === 'ccm' || target === 'kcm' ? [] : ['target must be ccm or kcm'];
}
