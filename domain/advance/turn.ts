import type { Target } from '../vocabulary.js';
import type { RunState } from './run-state.js';

/** A new direction: what was learnt, waived and approved for the old one does not count any more. */
export function turnTo(
  state: RunState,
  target: Target,
  mandate: RunState['mandate'],
  words: string,
): RunState {
  return {
    ...forgetTries(state),
    target,
    because: `${words} by ${mandate.actor}: ${mandate.reason}`,
    mandate,
    trouble: null,
    gates: [],
    breaches: [],
    approvals: [],
    waivers: [],
    soak: 'due',
    verified: false,
    due: { fence: true, look: true, measure: false },
  };
}

/** After an operator's word every step may be tried anew. */
export function forgetTries(state: RunState): RunState {
  return { ...state, tries: {}, failures: { step: '', count: 0 }, guardLosses: 0, waits: 0 };
}
