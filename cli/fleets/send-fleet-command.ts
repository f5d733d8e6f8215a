import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { entryOf } from '../../domain/findings/catalogue.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import type { FleetAnswer } from '../../domain/fleet/fleet-state.js';
import { fleetAnswerQuery, fleetCommandSignal } from '../../workflows/messages/fleet-messages.js';
import { askRun } from '../runs/ask-run.js';
import { ANSWER_WITHIN_MS, pollAnswer, type AnswerPatience } from '../runs/send-command.js';

/** `unanswered`: the fleet has not read it yet; the server keeps the command, and it is applied once. */
export type FleetReply = FleetAnswer | { readonly state: 'unanswered'; readonly detail: string };

/** Signals a command and polls its one answer. `ended`: the fleet's run is over, and nothing was sent. */
export async function sendFleetCommand(
  client: Client,
  workflowId: string,
  command: FleetCommand,
  patience: AnswerPatience,
): Promise<FleetReply | 'ended'> {
  try {
    await client.workflow.getHandle(workflowId).signal(fleetCommandSignal, command);
  } catch (error) {
    // Only an open run reads signals.
    if (error instanceof WorkflowNotFoundError) return 'ended';
    throw error;
  }
  return pollAnswer(
    async () => reply(client, workflowId, command.commandId),
    ({ state }) => state !== 'unanswered',
    patience,
  );
}

async function reply(client: Client, workflowId: string, commandId: string): Promise<FleetReply> {
  const question = { workflowId, query: fleetAnswerQuery, args: [commandId] as [string] };
  const asked = await askRun(client, { ...question, withinMs: ANSWER_WITHIN_MS });
  if (asked.kind === 'answered') {
    return asked.value ?? { state: 'unanswered', detail: 'the fleet has not read it yet' };
  }
  const { code } = asked.silence;
  return { state: 'unanswered', detail: `${code} ${entryOf(code).title.toLowerCase()}` };
}
