import { ApplicationFailure } from '@temporalio/common';
import { defineQuery, defineSignal } from '@temporalio/workflow';
import { MESSAGES } from '../config/names.js';
import type { GateVerdict } from '../domain/gates/verdicts.js';
import type { CommandAnswer, OperatorCommand } from '../domain/run/operator-command.js';
import type { ClusterOutcome, ClusterStatus } from './cluster-run.js';

/**
 * An operator's command. A signal, because the server keeps it while no worker is running and records the caller's principal
 * on the event; the same `commandId` is applied once.
 */
export const commandSignal = defineSignal<[OperatorCommand]>(MESSAGES.command);

/** A breach reported by the guard. It is also recorded in the fence, so a late signal does not permit a write. */
export const breachSignal = defineSignal<[GateVerdict]>(MESSAGES.breach);

/**
 * The outcome of the command with this id; `pending` shows what it waits for. A query, because it costs no event: a caller
 * that polls for days must not use up the history of the run. An ended run answers too, as long as it is retained.
 */
export const answerQuery = defineQuery<CommandAnswer, [string]>(MESSAGES.answer);

export const statusQuery = defineQuery<ClusterStatus>(MESSAGES.status);

export type { CommandAnswer, OperatorCommand } from '../domain/run/operator-command.js';
export type { ClusterMigrationInput, ClusterOutcome, ClusterStatus } from './cluster-run.js';

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
