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
