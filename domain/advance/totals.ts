import type { RunState, Totals } from './run-state.js';

/** Over all steps of a run, including those of earlier executions. Times in ms. */
export function totalsOf({ steps, earlier }: RunState): Totals {
  const sum = (figure: (step: RunState['steps'][number]) => number): number =>
    steps.reduce((so, step) => so + figure(step), 0);
  return {
    steps: earlier.steps + steps.length,
    orphanMs: earlier.orphanMs + sum(({ orphanMs }) => orphanMs),
    mutations: earlier.mutations + sum(({ mutations }) => mutations),
  };
}

/** Whether the run could be rolled back, according to the last decision. */
export function reversibilityWords({ look }: RunState): string {
  return look === null ? 'unknown: the cluster was not observed' : look.decision.reversibility;
}
