import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { entryOf } from '../../domain/findings/catalogue.js';
import type { CommandAnswer, OperatorCommand } from '../../workflows/messages.js';
import { answerQuery, commandSignal } from '../../workflows/messages.js';
import type { Cli } from '../cli.js';
import type { Asked } from './ask-run.js';
import { askRun } from './ask-run.js';

/** Signs a command, where its sender has a key. */
export type Seal = (command: OperatorCommand) => Promise<OperatorCommand>;

export interface SentCommand {
  readonly commandId: string;
  readonly answer: Answer;
}

/**
 * Signals a command and polls its result until it is applied or refused, or the deadline passes. The server keeps the
 * signal while no worker runs, so an unanswered command is not lost. `ended`: the run has ended, and nothing was sent.
 */
export async function sendCommand(
  client: Client,
  workflowId: string,
  given: Omit<OperatorCommand, 'commandId'>,
  patience: AnswerPatience,
  seal: Seal = async (command) => command,
): Promise<SentCommand | 'ended'> {
  const commandId = randomUUID();
  const sealed = await patientlySigned(patience, seal({ ...given, commandId }));
  try {
    await client.workflow.getHandle(workflowId).signal(commandSignal, sealed.signed);
  } catch (error) {
    // Only an open run reads signals.
    if (error instanceof WorkflowNotFoundError) return 'ended';
    throw error;
  }
  const answer = await awaitAnswer(client, { workflowId, commandId }, sealed.patience);
  return { commandId, answer };
}

/** `unanswered`: no worker answered in time; the server keeps the command and the run applies it once. */
export type Answer = CommandAnswer | { readonly state: 'unanswered'; readonly detail: string };

/** How long an operator waits for an answer. */
export interface AnswerPatience {
  /** Epoch ms. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** What was signed, and patience from then on: the time that a person takes to touch a key is none in which a run could answer. */
export async function patientlySigned<Command>(
  patience: AnswerPatience,
  signing: Promise<Command>,
): Promise<{ readonly signed: Command; readonly patience: AnswerPatience }> {
  const beganMs = Date.now();
  const signed = await signing;
  const deadlineMs = patience.deadlineMs + Date.now() - beganMs;
  return { signed, patience: { ...patience, deadlineMs } };
}

const WAIT_MS = 60_000;

/** As the command line says (`--timeout`); counted from now. */
export function answerPatience({
  options,
  signal,
}: Pick<Cli, 'options' | 'signal'>): AnswerPatience {
  return { deadlineMs: Date.now() + (options.durationMs('timeout') ?? WAIT_MS), signal };
}

/** How long one query waits for a worker. */
export const ANSWER_WITHIN_MS = 5_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Polls the result of a command until it is applied or refused, or the deadline passes; at least once. It uses queries,
 * which leave no event: waiting for a day adds nothing to the history of the run.
 */
export async function awaitAnswer(
  client: Client,
  command: { readonly workflowId: string; readonly commandId: string },
  patience: AnswerPatience,
): Promise<Answer> {
  const { workflowId, commandId } = command;
  const question = { workflowId, query: answerQuery, args: [commandId] as [string] };
  return pollAnswer(
    async () => answerOf(await askRun(client, { ...question, withinMs: ANSWER_WITHIN_MS })),
    ({ state }) => state === 'applied' || state === 'refused',
    patience,
  );
}

/** Asks at least once, and again until an answer is final, the deadline passes or the operator interrupts. */
export async function pollAnswer<Given>(
  ask: () => Promise<Given>,
  isFinal: (answer: Given) => boolean,
  { deadlineMs, signal }: AnswerPatience,
): Promise<Given> {
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const answer = await ask();
    if (isFinal(answer) || signal.aborted || Date.now() + pauseMs >= deadlineMs) return answer;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
}

function answerOf(asked: Asked<CommandAnswer>): Answer {
  if (asked.kind === 'answered') return asked.value;
  const { code } = asked.silence;
  return { state: 'unanswered', detail: `${code} ${entryOf(code).title.toLowerCase()}` };
}
