import type { Attempts, Proofs, Problems } from './run-state.js';

/** Parts of a run's state as they are before anything has happened in them. */

/** Every step may be tried again. */
export const NO_ATTEMPTS: Attempts = {
  byDecision: {},
  failures: { step: '', count: 0 },
  guardLosses: 0,
  unserved: 0,
  heals: 0,
  waits: 0,
};

/** Soak and comparison are due; what they compare with stays. */
export const NOT_PROVEN: Omit<Proofs, 'since'> = {
  soak: 'pending',
  soakProgress: null,
  notes: [],
  verified: false,
};

/** Nothing holds the run; the last failure stays known. */
export const NO_PROBLEMS: Omit<Problems, 'lastFailure'> = {
  holdReason: null,
  gates: [],
  breaches: [],
};
