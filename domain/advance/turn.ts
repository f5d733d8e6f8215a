import type { Target } from '../vocabulary.js';
import type { RunState } from './run-state.js';

/** A new direction: measurements, waivers and approvals of the old one no longer count. */
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
    // A change of direction acknowledges the recorded breaches: otherwise a rollback could not start.
    due: {
      ...{ ...state.due, plan: true, fence: true, acknowledge: true },
      ...{ restMs: 0, look: true, measure: false },
    },
  };
}

/** After an operator command every step may be tried again. */
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
