import type { AccountChange, AccountStep } from '../../../config/outputs/account-document.js';
import { member } from '../../read-json.js';
import { textIn } from '../history-facts.js';
import type { DecodedActivity } from './decoded-run.js';

const WHYS: Readonly<Record<string, string>> = {
  takeFence: 'the run takes the right to write',
  closeRun: 'the run gives up the right to write, and ends',
};

/** An activity that may change something as a step of the account; null for any other. */
export function accountStep(
  activity: DecodedActivity,
  changes: readonly AccountChange[],
): AccountStep | null {
  const { name, at, endedAt, ended, input } = activity;
  if (name !== 'executeStep' && WHYS[name] === undefined) return null;
  const step = member(member(input, 'planned'), 'step');
  const effect = member(step, 'effect');
  return {
    ...{ at, endedAt, epoch: epochOf(activity), changes: [...changes] },
    name: name === 'executeStep' ? textIn(step, 'name') : name,
    node: textIn(effect, 'node') || textIn(effect, 'machine'),
    why: WHYS[name] ?? textIn(step, 'why'),
    outcome: OUTCOMES[ended],
    detail: detailOf(activity),
  };
}

const OUTCOMES = { well: 'done', badly: 'failed', open: 'open' } as const;

/** Of a fence, the one that it was given. */
function epochOf({ input, result }: DecodedActivity): number | null {
  const epoch = member(result, 'epoch') ?? member(input, 'epoch');
  return typeof epoch === 'number' ? epoch : null;
}

function detailOf({ name, input, result, failure }: DecodedActivity): string {
  if (failure !== null) return failureText(failure);
  if (name === 'takeFence') {
    const displaced = textIn(result, 'displaced');
    return displaced === '' ? '' : `displaced ${displaced}`;
  }
  return name === 'closeRun'
    ? textIn(input, 'outcome')
    : textIn(member(result, 'summary'), 'detail');
}

/** Why an activity failed: its type, as the closed list of failures has it, and what it said. */
export function failureText({ type, message }: { type: string; message: string }): string {
  return type === '' ? message : `${type}: ${message}`;
}
