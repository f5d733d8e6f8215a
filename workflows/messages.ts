import { ApplicationFailure } from '@temporalio/common';
import { defineQuery, defineSignal } from '@temporalio/workflow';
import { MESSAGES } from '../config/names.js';
import type { GateVerdict } from '../domain/gates/verdicts.js';
import type { CommandAnswer, OperatorCommand } from '../domain/run/operator-command.js';
import type { GuardMemory, GuardReport } from '../activities/contract.js';
import type { RunStart } from '../activities/run-start.js';
import type { MemberMessage } from '../domain/run/membership.js';
import type { RunOutcome } from '../domain/run/outcome.js';
import type { CarriedState } from '../domain/run/begin-run.js';
import type { RunStatus } from '../domain/run/run-status.js';

/**
 * An operator's command. A signal, because the server keeps it while no worker is running and records the caller's principal
 * on the event; the same `commandId` is applied once.
 */
export const commandSignal = defineSignal<[OperatorCommand]>(MESSAGES.command);

/** A breach reported by the guard. It is also recorded in the fence, so a late signal does not permit a write. */
export const breachSignal = defineSignal<[GateVerdict]>(MESSAGES.breach);

/** An order of the fleet that the run is a member of. */
export const orderSignal = defineSignal<[MemberMessage]>(MESSAGES.order);

/**
 * The outcome of the command with this id; `pending` shows what it waits for. A query, because it costs no event: a caller
 * that polls for days must not use up the history of the run. An ended run answers too, as long as it is retained.
 */
export const answerQuery = defineQuery<CommandAnswer, [string]>(MESSAGES.answer);

export const statusQuery = defineQuery<ClusterStatus>(MESSAGES.status);

export type { CommandAnswer, OperatorCommand } from '../domain/run/operator-command.js';

/** Input of one migration: plain, frozen, already validated; it never holds a credential. */
export interface ClusterMigrationInput extends RunStart {
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
  readonly state: CarriedState;
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
  /** What became of the last commands, by their ids; absent without any, and in runs of older builds. */
  readonly answers?: Readonly<Record<string, CommandAnswer>>;
}

/**
 * The outcome that a failed or refused run carries, from the error that waiting for its result threw; null
 * when it ended in another way (terminated, timed out) and carries no outcome.
 */
export function outcomeOfFailure(error: unknown): ClusterOutcome | null {
  const cause = error instanceof Error ? error.cause : undefined;
  const details: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return isOutcome(details) ? details : null;
}

function isOutcome(value: unknown): value is ClusterOutcome {
  return (
    typeof value === 'object' && value !== null && 'clusterState' in value && 'nextCommand' in value
  );
}
