import { defineQuery, defineSignal } from '@temporalio/workflow';
import { MESSAGES } from '../config/names.js';
import type { CommandAnswer, OperatorCommand } from '../domain/advance/operator-command.js';
import type { GateVerdict } from '../domain/gates.js';
import type { ClusterStatus } from './cluster-run.js';

/**
 * A person's command. A signal, because the server keeps it while no worker is there and stamps the caller's own
 * principal on the event; the same `commandId` is applied once.
 */
export const commandSignal = defineSignal<[OperatorCommand]>(MESSAGES.command);

/** What the guard saw. It also stands in the fence, so a late signal lets nothing be written. */
export const breachSignal = defineSignal<[GateVerdict]>(MESSAGES.breach);

/**
 * What came of the command with this id; `pending` says where it waits. A query, because asking costs no event: whoever
 * waits for days must not use up the history of the run. An ended run answers too, as long as it is retained.
 */
export const answerQuery = defineQuery<CommandAnswer, [string]>(MESSAGES.answer);

export const statusQuery = defineQuery<ClusterStatus>(MESSAGES.status);

export type { CommandAnswer, OperatorCommand, Verb } from '../domain/advance/operator-command.js';
export type { ClusterMigrationInput, ClusterOutcome, ClusterStatus } from './cluster-run.js';
export { outcomeOfFailure } from './failed-outcome.js';
