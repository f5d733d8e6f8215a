import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { CommandAnswer, OperatorCommand } from '../../workflows/messages.js';
import { commandSignal, outcomeUpdate } from '../../workflows/messages.js';

export interface SentCommand {
  readonly commandId: string;
  /** `unanswered`: no worker answered in time; the server keeps the command and it is applied once. */
  readonly answer: CommandAnswer | { readonly state: 'unanswered'; readonly detail: string };
}

/** Asks again shortly before the server's own limit for one Update. */
const ASK_FOR_MS = 15_000;

/**
 * Signals a command and asks what came of it until it is applied or refused, or `deadlineMs` (epoch) has passed.
 * The signal is kept by the server while no worker runs, so a command without an answer is not lost.
 */
export async function sendCommand(
  client: Client,
  workflowId: string,
  command: Omit<OperatorCommand, 'commandId'>,
  wait: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<SentCommand> {
  const commandId = randomUUID();
  const handle = client.workflow.getHandle(workflowId);
  await handle.signal(commandSignal, { ...command, commandId });
  let answer: SentCommand['answer'] = { state: 'unanswered', detail: 'no worker has answered yet' };
  while (Date.now() < wait.deadlineMs && !wait.signal.aborted) {
    const until = Math.min(wait.deadlineMs, Date.now() + ASK_FOR_MS);
    answer = (await ask(client, workflowId, commandId, until)) ?? answer;
    if (answer.state === 'applied' || answer.state === 'refused') break;
  }
  return { commandId, answer };
}

async function ask(
  client: Client,
  workflowId: string,
  commandId: string,
  deadlineMs: number,
): Promise<CommandAnswer | null> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    return await client.connection.withDeadline(deadlineMs, () =>
      handle.executeUpdate(outcomeUpdate, { args: [commandId] }),
    );
  } catch (error) {
    // The deadline of an unanswered Update shows as one of several errors; only "not there" is certain.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') throw error;
    return null;
  }
}
