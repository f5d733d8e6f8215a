import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { OperatorCommand } from '../../workflows/messages.js';
import { commandSignal } from '../../workflows/messages.js';
import type { Answer, Patience } from './await-answer.js';
import { awaitAnswer } from './await-answer.js';

export interface SentCommand {
  readonly commandId: string;
  readonly answer: Answer;
}

/**
 * Signals a command and asks what came of it until it is applied or refused, or the patience is at an end.
 * The signal is kept by the server while no worker runs, so a command without an answer is not lost. `ended`: the run has, and
 * nothing was sent.
 */
export async function sendCommand(
  client: Client,
  workflowId: string,
  command: Omit<OperatorCommand, 'commandId'>,
  patience: Patience,
): Promise<SentCommand | 'ended'> {
  const commandId = randomUUID();
  try {
    await client.workflow.getHandle(workflowId).signal(commandSignal, { ...command, commandId });
  } catch (error) {
    // A signal has no other reader than an open run.
    if (error instanceof WorkflowNotFoundError) return 'ended';
    throw error;
  }
  const answer = await awaitAnswer(client, { workflowId, commandId }, patience);
  return { commandId, answer };
}
