import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { entryOf } from '../../domain/findings/catalogue.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import {
  type AnsweredCommand,
  fleetAnswerQuery,
  fleetCommandSignal,
} from '../../workflows/messages/fleet-messages.js';
import { askRun } from '../runs/ask-run.js';
import { ANSWER_WITHIN_MS, pollAnswer, type AnswerPatience } from '../runs/send-command.js';

/** `unanswered`: the fleet has not read it yet; the server keeps the command, and it is applied once. */
export type FleetReply =
  AnsweredCommand | { readonly state: 'unanswered'; readonly detail: string };

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
  return fleetReply(client, workflowId, command, patience);
}

/** Polls the one answer to a command that was sent. */
export async function fleetReply(
  client: Client,
  workflowId: string,
  command: Pick<FleetCommand, 'commandId'>,
  patience: AnswerPatience,
): Promise<FleetReply> {
  const ask = async (): Promise<FleetReply> => reply(client, workflowId, command.commandId);
  const answer = await pollAnswer(ask, ({ state }) => state !== 'unanswered', patience);
  if (!isStillTold(answer)) return answer;
  // The command has taken effect; that runs are told takes a little longer.
  const deadlineMs = Math.min(patience.deadlineMs, Date.now() + TOLD_WITHIN_MS);
  const told = await pollAnswer(ask, (later) => !isStillTold(later), { ...patience, deadlineMs });
  return told.state === 'unanswered' ? answer : told;
}

/** One call of the fleet tells 200 runs in about two seconds; a run that is away takes the longest. */
const TOLD_WITHIN_MS = 10_000;

function isStillTold(answer: FleetReply): boolean {
  return answer.state === 'applied' && (answer.reach?.waiting ?? 0) > 0;
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
