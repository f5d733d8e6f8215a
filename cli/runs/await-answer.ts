import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { entryOf } from '../../domain/findings/catalogue.js';
import type { CommandAnswer } from '../../workflows/messages.js';
import { answerQuery } from '../../workflows/messages.js';
import type { Asked } from './ask-run.js';
import { askRun } from './ask-run.js';

/** `unanswered`: no worker answered in time; the server keeps the command and it is applied once. */
export type Answer = CommandAnswer | { readonly state: 'unanswered'; readonly detail: string };

export interface Patience {
  /** Epoch ms. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

const ANSWER_WITHIN_MS = 5_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Asks what came of a command until it is applied or refused, or the patience is at an end; at least once. Queries,
 * which leave no event: whoever waits for a day adds nothing to the history of the run.
 */
export async function awaitAnswer(
  client: Client,
  command: { readonly workflowId: string; readonly commandId: string },
  { deadlineMs, signal }: Patience,
): Promise<Answer> {
  const { workflowId, commandId } = command;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const question = { workflowId, query: answerQuery, args: [commandId] as [string] };
    const answer = answerOf(await askRun(client, { ...question, withinMs: ANSWER_WITHIN_MS }));
    const isFinal = answer.state === 'applied' || answer.state === 'refused';
    if (isFinal || signal.aborted || Date.now() + pauseMs >= deadlineMs) return answer;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
}

function answerOf(asked: Asked<CommandAnswer>): Answer {
  if (asked.kind === 'answered') return asked.value;
  const { code } = asked.silence;
  return { state: 'unanswered', detail: `${code} ${entryOf(code).title.toLowerCase()}` };
}
