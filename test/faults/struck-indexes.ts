import { createDraws } from '../../testbed/simulator/clock/draws.js';
import type { Draws } from '../../testbed/simulator/model.js';

/** One of `runs` runs that together strike each request once; from 0 to `runs` - 1. */
export interface Turn {
  readonly run: number;
  readonly runs: number;
}

/** Far above the requests of any run, retries included. */
const MOST_REQUESTS = 8000;

/**
 * One request in each block of `runs`, a different one for each run, so that all runs together strike each request once. A seed draws the
 * position in the block: strikes at equal distances would keep step with a retry of the same period.
 */
export function struckIndexes({ run, runs }: Turn): readonly number[] {
  return Array.from({ length: Math.ceil(MOST_REQUESTS / runs) }, (_, block) => {
    return block * runs + (shuffled(runs, createDraws(`block ${String(block)}`))[run] ?? 0);
  });
}

function shuffled(count: number, draws: Draws): readonly number[] {
  return Array.from({ length: count }, (_, place) => ({ place, drawn: draws.unit() }))
    .sort((a, b) => a.drawn - b.drawn)
    .map(({ place }) => place);
}
