import type { Draws } from '../../simulator/model.js';

/** What goes wrong, and where the run is then. */
export const SITUATIONS = ['pausedOwner', 'secondOwner', 'cloudRefuses', 'pausedInHold'] as const;
export type Situation = (typeof SITUATIONS)[number];

/** What one run does, drawn before it. */
export interface DrawnRun {
  readonly situation: Situation;
  /** From the moment at which changes may happen, in a hold from its begin, until the signal is made. */
  readonly afterMs: number;
  /** In a hold: from the signal until its approval is given, so that there is something to stop. */
  readonly approveAfterMs: number;
}

/** Shares of ten runs. */
const SHARES: Readonly<Record<Situation, number>> = {
  pausedOwner: 3,
  secondOwner: 2,
  cloudRefuses: 3,
  pausedInHold: 2,
};

/** A migration in place changes for about so long; what is drawn later meets its soak. */
const CHANGES_FOR_MS = 40_000;
/** A guard observes an idle cluster this often. */
const IDLE_MS = 10_000;

/** The runs of a bench: situations in fixed shares and mixed order, moments at random. */
export function drawnRuns(draws: Draws, runs: number): readonly DrawnRun[] {
  const tens = SITUATIONS.flatMap((situation) =>
    Array.from({ length: SHARES[situation] }, () => situation),
  );
  const situations = Array.from({ length: runs }, (_, index) => tens[index % tens.length]);
  return situations
    .flatMap((situation) => situation ?? [])
    .map((situation) => ({ order: draws.unit(), run: drawnRun(draws, situation) }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ run }) => run);
}

function drawnRun(draws: Draws, situation: Situation): DrawnRun {
  const waits = situation === 'pausedInHold';
  return {
    situation,
    afterMs: Math.round(draws.between(0, waits ? IDLE_MS : CHANGES_FOR_MS)),
    approveAfterMs: waits ? Math.round(draws.between(0, IDLE_MS + 2_000)) : 0,
  };
}
