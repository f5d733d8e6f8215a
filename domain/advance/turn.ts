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
    revision: state.revision + 1,
    because: `${words} by ${mandate.actor}: ${mandate.reason}`,
    mandate,
    trouble: null,
    objections: [],
    gates: [],
    breaches: [],
    approvals: [],
    waivers: [],
    soak: 'due',
    soakProgress: null,
    verified: false,
    // Whoever turned the run knows of the breaches that stand: a rollback could not begin under them otherwise.
    due: {
      ...{ ...state.due, plan: true, fence: true, acknowledge: true },
      ...{ restMs: 0, look: true, measure: false },
    },
  };
}

/** After an operator's word every step may be tried again. */
export function forgetTries(state: RunState): RunState {
  return {
    ...state,
    tries: {},
    failures: { step: '', count: 0 },
    guardLosses: 0,
    unserved: 0,
    heals: 0,
    waits: 0,
  };
}
