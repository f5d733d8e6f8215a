import { digestText } from '../digest.js';
import type { Envelope } from './signed-envelope.js';

/** So many approvals and skips of one direction; a run that needs more has another problem. */
const MOST_KEPT = 32;

/**
 * The commands that a direction rests on, after another one was applied. A turn begins a direction, so that what was given for
 * the one before it no longer counts.
 */
export function restingOn(
  before: readonly Envelope[],
  signed: Envelope | undefined,
  effect: 'turns' | 'allows',
): readonly Envelope[] {
  if (signed === undefined) return before;
  if (effect === 'turns') return [signed];
  const [first, ...others] = before;
  return first === undefined ? [signed] : [first, ...others.slice(1 - MOST_KEPT), signed];
}

/** How many commands of a run are remembered as used. */
const MOST_SPENT = 500;

/** Digests of the commands that a run has followed: anyone can send one of them once more. */
export function spentAfter(
  spent: readonly string[] | undefined,
  signed: Envelope | undefined,
): readonly string[] {
  const before = spent ?? [];
  if (signed === undefined || isSpent(before, signed)) return before;
  return [...before, digestText(signed.payload)].slice(-MOST_SPENT);
}

/** Whether a run has followed this command before. */
export function isSpent(spent: readonly string[] | undefined, { payload }: Envelope): boolean {
  return spent?.includes(digestText(payload)) === true;
}
