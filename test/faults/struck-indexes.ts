import { createDraws } from '../../simulator/clock/draws.js';
import type { Draws } from '../../simulator/model.js';

/** One of `runs` runs that together strike each request once; from 0 to `runs` - 1. */
export interface Turn {
  readonly run: number;
  readonly runs: number;
}

/** Far above what any run asks, retries and all. */
const MOST_REQUESTS = 8000;

/**
 * One request in each block of `runs`, another one for each run, so that all runs strike each request once. Where in the
 * block is drawn by a seed: strikes at equal distances would keep step with a retry that is as long.
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
