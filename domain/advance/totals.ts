import type { RunState, Totals } from './run-state.js';

/** Over all steps of a run, those of earlier executions included. Times in ms. */
export function totalsOf({ steps, earlier }: RunState): Totals {
  const sum = (figure: (step: RunState['steps'][number]) => number): number =>
    steps.reduce((so, step) => so + figure(step), 0);
  return {
    steps: earlier.steps + steps.length,
    orphanMs: earlier.orphanMs + sum(({ orphanMs }) => orphanMs),
    mutations: earlier.mutations + sum(({ mutations }) => mutations),
  };
}

/** Whether the run could go back, as the last decision says. */
export function reversibilityWords({ look }: RunState): string {
  return look === null ? 'unknown: the cluster was not observed' : look.decision.reversibility;
}
