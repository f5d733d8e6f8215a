import type { Counts } from './count-evidence.js';
import type { CountIncrement } from './count-increment.js';
import { faultAmong, scrapesOf, type CountFault } from './increment-fault.js';

/** Baseline: what a gate counted before our first write. Windows are compared with it. */
export interface CountBaseline extends Counts {
  /** How much more scrapes differ than by chance alone (Pearson), from 1 to 8: errors that come in clusters prove less. */
  readonly dispersion: number;
}

export type MadeBaseline =
  | { readonly kind: 'known'; readonly baseline: CountBaseline }
  | { readonly kind: 'unmeasured'; readonly fault: CountFault };

const [LEAST_DISPERSION, MOST_DISPERSION] = [1, 8];

/** Lifetime counters say nothing of clusters, so some are presumed. */
const UNKNOWN_DISPERSION = 1.25;

/** What a process counted in months says little about today: it weighs no more than so many events. */
const MOST_LIFETIME_EVENTS = 2000;

const HALF_KNOWN_ERRORS = 5;

/** Clusters may be longer than a scrape: scrapes are compared one by one, and in blocks of so many. */
const BLOCKS = [1, 4, 20];

/** A baseline from past increments, in the order of their time. */
export function countBaselineOf(past: readonly CountIncrement[], nowMs: number): MadeBaseline {
  const fault = faultAmong(past, nowMs);
  if (fault !== null) return { kind: 'unmeasured', fault };
  const scrapes = scrapesOf(past);
  const baseline = { ...summed(scrapes), dispersion: dispersionOf(scrapes) };
  return { kind: 'known', baseline };
}

/** A baseline from the counters of a process since its start, where no past is stored. */
export function lifetimeBaseline(counted: CountIncrement, nowMs: number): MadeBaseline {
  const fault = faultAmong([counted], nowMs);
  if (fault !== null) return { kind: 'unmeasured', fault };
  const share = Math.min(1, MOST_LIFETIME_EVENTS / Math.max(1, counted.total));
  const baseline = { bad: counted.bad * share, total: counted.total * share };
  return { kind: 'known', baseline: { ...baseline, dispersion: UNKNOWN_DISPERSION } };
}

/**
 * Pearson's dispersion of the ratios of scrapes, the largest over the lengths of blocks; 1 where nothing varies. What few errors say of
 * it is mostly chance, so it counts with a weight that is a half at five errors.
 */
function dispersionOf(scrapes: readonly CountIncrement[]): number {
  const measured = BLOCKS.map((length) => pearsonOf(blocksOf(scrapes, length)));
  const { bad } = summed(scrapes);
  const weighed = 1 + (Math.max(...measured) - 1) * (bad / (bad + HALF_KNOWN_ERRORS));
  return Math.min(MOST_DISPERSION, Math.max(LEAST_DISPERSION, weighed));
}

function pearsonOf(blocks: readonly Counts[]): number {
  const counted = blocks.filter(({ total }) => total > 0);
  const { bad, total } = summed(counted);
  const ratio = bad / total;
  if (counted.length < 2 || bad === 0 || bad === total) return LEAST_DISPERSION;
  const squares = counted.map(
    (each) => (each.bad - each.total * ratio) ** 2 / (each.total * ratio * (1 - ratio)),
  );
  return squares.reduce((sum, each) => sum + each, 0) / (counted.length - 1);
}

function blocksOf(scrapes: readonly CountIncrement[], length: number): readonly Counts[] {
  const count = Math.ceil(scrapes.length / length);
  return Array.from({ length: count }, (_, index) =>
    summed(scrapes.slice(index * length, (index + 1) * length)),
  );
}

function summed(counts: readonly Counts[]): Counts {
  return counts.reduce(
    (sum, each) => ({ bad: sum.bad + each.bad, total: sum.total + each.total }),
    { bad: 0, total: 0 },
  );
}
