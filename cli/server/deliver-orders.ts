import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { fleetNameIn } from '../../config/names.js';
import type { HookOutcome } from '../../domain/automation/hook-answer.js';
import { type RunOrder, noteIdOf } from '../../domain/automation/orders-for-runs.js';
import { automationActor, isAutomation } from '../../domain/run/automation.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import { NOT_RECEIVED } from '../../domain/run/operator-command.js';
import {
  answerQuery,
  commandSignal,
  statusQuery,
  type ClusterStatus,
  type OperatorCommand,
} from '../../workflows/messages.js';
import { fleetAnswerQuery, fleetCommandSignal } from '../../workflows/messages/fleet-messages.js';
import { sealedCommand, sealedFleetCommand } from '../authority/sign-requests.js';
import type { Signer } from '../authority/signing-key.js';
import type { RunQuestion } from '../runs/ask-run.js';
import { signedInTime } from './signed-in-time.js';
import { within } from './within.js';

export interface Delivered {
  readonly outcome: HookOutcome;
  readonly detail: string;
}

/** How orders of one token are delivered. */
export interface Delivering {
  readonly client: Client;
  readonly tokenName: string;
  /** How long a run is waited for before it is told without being asked. */
  readonly readWithinMs: number;
  /** Takes one rollback of those that the token still has. */
  readonly mayTurn: () => boolean;
  /** Signs rollbacks as a principal of its own; null where no key is given, and a worker with an access policy pauses instead. */
  readonly signer: Signer | null;
}

/** Stores one order at its run, unless that has it already: each signal is an event of a history. */
export async function deliverOrder(by: Delivering, order: RunOrder): Promise<Delivered> {
  const { client, tokenName, mayTurn, signer } = by;
  if (order.run.kind === 'fleet') return toFleet(by, order);
  const seen = await readRun(by, order);
  if (order.overSinceMs !== null) return noteEnd(by, order, seen);
  if (seen.isReceived) return { outcome: 'known', detail: 'the run has this command' };
  if (order.verb === 'pause' && pausedByAutomation(seen.status)) return pausedBefore(seen.status);
  if (order.verb === 'rollBack' && !mayTurn()) return TOO_MANY;
  // A run that continued as new is named by its first execution, which it says itself.
  const runId = seen.status?.runId ?? order.run.runId;
  const run = { workflowId: order.run.workflowId, runId, planDigest: '' };
  const plain = commandOf(tokenName, order);
  const { command, unsigned } = await signedInTime(plain, sealedCommand(signer, run, plain));
  const { outcome, detail } = storedAs(order, seen.status, unsigned);
  return signalled(() => signalRun(client, order, command), outcome, detail);
}

/** What the answer says once the order is stored. */
function storedAs(order: RunOrder, status: ClusterStatus | null, unsigned: string) {
  if (order.verb !== 'pause' || !rollsBack(status)) {
    return { outcome: 'sent', detail: detailOf(order, unsigned) } as const;
  }
  const detail = [order.instead, ROLLS_BACK].filter((part) => part !== '').join('; ');
  return { outcome: 'rollingBack', detail } as const;
}

function pausedBefore(status: ClusterStatus | null): Delivered {
  return rollsBack(status)
    ? { outcome: 'rollingBack', detail: ROLLS_BACK }
    : { outcome: 'known', detail: 'the run is paused by automation' };
}

const ROLLS_BACK =
  'the run is rolling back, so the pause holds nothing unless it is turned forward';

/** As far as is known, and where no person has paused it; a worker of an older build lets an alert hold a rollback. */
function rollsBack(status: ClusterStatus | null): boolean {
  return status?.target === 'kcm' && status.pause !== 'paused' && status.alertPause !== undefined;
}

const TOO_MANY: Delivered = { outcome: 'tooMany', detail: 'too many rollbacks a minute' };

function commandOf(tokenName: string, order: RunOrder): OperatorCommand {
  const { commandId, verb, alertSinceMs } = order;
  const { actor, reason } = whoAndWhy(tokenName, order);
  return { commandId, verb, arguments: {}, actor, reason, ticket: '', alertSinceMs };
}

function whoAndWhy(tokenName: string, { summary, instead }: RunOrder) {
  const reason = `alert ${summary}${instead === '' ? '' : ` (no rollback: ${instead})`}`;
  return { actor: automationActor(tokenName), reason };
}

interface SeenRun {
  /** Whether the run has received this very command. */
  readonly isReceived: boolean;
  /** Null where no worker answers: the order is sent then. */
  readonly status: ClusterStatus | null;
}

async function readRun(by: Delivering, { run, commandId }: RunOrder): Promise<SeenRun> {
  const [answer, status] = await Promise.all([
    ask(by, { workflowId: run.workflowId, query: answerQuery, args: [commandId] }),
    ask(by, { workflowId: run.workflowId, query: statusQuery, args: [] }),
  ]);
  return { isReceived: answer !== null && answer.detail !== NOT_RECEIVED, status };
}

/** Null where no worker answers in time, whatever the reason. */
async function ask<T, Args extends unknown[]>(
  { client, readWithinMs }: Delivering,
  { workflowId, query, args }: Omit<RunQuestion<T, Args>, 'withinMs'>,
): Promise<T | null> {
  return within(client, readWithinMs, async () =>
    client.workflow.getHandle(workflowId).query(query, ...args),
  );
}

function pausedByAutomation(status: ClusterStatus | null): boolean {
  if (status?.alertPause?.holds === false) return true;
  return status?.pause === 'paused' && isAutomation(status.pausedBy?.actor ?? '');
}

/** Nothing resumes: a person reads the note, and decides. */
async function noteEnd(
  by: Delivering,
  order: RunOrder,
  { isReceived, status }: SeenRun,
): Promise<Delivered> {
  const { client, tokenName } = by;
  const isPaused = alertActor(status) === automationActor(tokenName);
  if (!isReceived || !isPaused || order.overSinceMs === null) return OVER;
  const { commandId: pauseId, overSinceMs } = order;
  const since = new Date(overSinceMs).toISOString();
  const commandId = noteIdOf(order);
  const { workflowId } = order.run;
  const before = await ask(by, { workflowId, query: answerQuery, args: [commandId] });
  if (before !== null && before.detail !== NOT_RECEIVED) return OVER;
  const note = { ...commandOf(tokenName, order), verb: 'pause' as const, commandId };
  const command = { ...note, alertOver: { since, pauseId } };
  return signalled(() => signalRun(client, order, command), 'noted', 'a person resumes');
}

/** Also where the run rolls back meanwhile: a person who turns it forward reads the note. */
function alertActor(status: ClusterStatus | null): string | undefined {
  if (status?.alertPause?.holds === false) return status.alertPause.actor;
  return status?.pause === 'paused' ? status.pausedBy?.actor : undefined;
}

const OVER: Delivered = { outcome: 'over', detail: 'nothing to note' };

async function toFleet(by: Delivering, order: RunOrder): Promise<Delivered> {
  const { client, tokenName, mayTurn } = by;
  // Releasing is for people, and the log has it: a fleet's brake has no note.
  if (order.overSinceMs !== null) return OVER;
  const { run, commandId, verb, alertSinceMs } = order;
  const { workflowId, runId: fleetRun } = run;
  const answer = await ask(by, { workflowId, query: fleetAnswerQuery, args: [commandId] });
  if (answer !== null) return { outcome: 'known', detail: 'the fleet has this command' };
  if (verb === 'rollBack' && !mayTurn()) return TOO_MANY;
  const { actor, reason } = whoAndWhy(tokenName, order);
  const command: FleetCommand = {
    ...{ commandId, actor, reason, fleetRun, alertSinceMs },
    ...{ scope: { kind: 'fleet' as const }, order: { verb } },
  };
  const fleet = fleetNameIn(workflowId);
  const sealed = await signedInTime(command, sealedFleetCommand(by.signer, fleet, command));
  const signal = async (): Promise<void> =>
    client.workflow.getHandle(workflowId).signal(fleetCommandSignal, sealed.command);
  return signalled(signal, 'sent', detailOf(order, sealed.unsigned));
}

function detailOf({ instead }: RunOrder, unsigned: string): string {
  return [instead, ...(unsigned === '' ? [] : [`not signed: ${unsigned}`])]
    .filter((part) => part !== '')
    .join('; ');
}

async function signalRun(
  client: Client,
  { run }: RunOrder,
  command: OperatorCommand,
): Promise<void> {
  await client.workflow.getHandle(run.workflowId).signal(commandSignal, command);
}

async function signalled(
  send: () => Promise<void>,
  outcome: 'sent' | 'rollingBack' | 'noted',
  detail: string,
): Promise<Delivered> {
  try {
    await send();
    return { outcome, detail };
  } catch (error) {
    // Only an open run reads signals.
    if (error instanceof WorkflowNotFoundError)
      return { outcome: 'unmatched', detail: 'it has ended' };
    throw error;
  }
}
