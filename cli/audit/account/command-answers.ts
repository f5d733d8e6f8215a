import type { LoadedDataConverter } from '@temporalio/common';
import type { AccountAnswer } from '../../../config/outputs/account-document.js';
import { member } from '../../read-json.js';
import {
  decoded,
  firstPayload,
  reportedOutcome,
  startAttributes,
  textIn,
} from '../history-facts.js';

/** Nothing on record says what came of a request. */
export const UNANSWERED: AccountAnswer = { state: 'unsaid', detail: '' };

/**
 * What became of commands, by their ids, as their run or fleet says itself: in the state that an execution takes over from the one
 * before, and in the outcome. What came later counts; no one signs any of it.
 */
export async function commandAnswers(
  histories: readonly unknown[],
  converter: LoadedDataConverter,
): Promise<ReadonlyMap<string, AccountAnswer>> {
  const answers = new Map<string, AccountAnswer>();
  for (const history of histories.slice(1)) {
    const state = await carriedState(history, converter);
    tell(answers, member(member(state, 'commands'), 'answers'));
    tell(answers, member(state, 'answers'));
  }
  const reported = await reportedOutcome(histories.at(-1), converter);
  if (reported.kind === 'reported') tell(answers, member(reported.outcome, 'answers'));
  return answers;
}

async function carriedState(history: unknown, converter: LoadedDataConverter): Promise<unknown> {
  const input = firstPayload(member(startAttributes(history), 'input'));
  if (input === undefined) return undefined;
  const read = await decoded(input, converter);
  return member(member(read?.value, 'carried'), 'state');
}

const STATES = ['applied', 'refused', 'pending'] as const;

function tell(answers: Map<string, AccountAnswer>, said: unknown): void {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return;
  for (const [id, answer] of Object.entries(said)) {
    const state = STATES.find((each) => each === member(answer, 'state'));
    if (state !== undefined) answers.set(id, { state, detail: textIn(answer, 'detail') });
  }
}
