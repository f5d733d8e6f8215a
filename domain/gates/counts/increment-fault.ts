import type { CountIncrement } from './count-increment.js';

/** Why counts cannot be judged. None of them ever opens a gate. */
export type CountFault =
  | 'notANumber'
  | 'negative'
  | 'moreBadThanTotal'
  | 'tooLarge'
  | 'outOfOrder'
  | 'fromTheFuture'
  | 'beforeTheWindow'
  | 'noScrape'
  | 'stale'
  | 'nothingToCompareWith'
  | 'unusableRule';

/** What is wrong with one increment after another one at `afterMs`; null for nothing. */
export function incrementFault(
  { atMs, bad, total }: CountIncrement,
  afterMs: number,
  nowMs: number,
): CountFault | null {
  const numbers = [atMs, bad, total];
  if (!numbers.every(Number.isFinite)) return 'notANumber';
  if (numbers.some((each) => each < 0)) return 'negative';
  if (total > Number.MAX_SAFE_INTEGER) return 'tooLarge';
  if (bad > total) return 'moreBadThanTotal';
  if (atMs < afterMs) return 'outOfOrder';
  return atMs > nowMs ? 'fromTheFuture' : null;
}

/** The first fault among increments that must come in the order of their time. */
export function faultAmong(
  increments: readonly CountIncrement[],
  nowMs: number,
): CountFault | null {
  let afterMs = 0;
  for (const each of increments) {
    const fault = incrementFault(each, afterMs, nowMs);
    if (fault !== null) return fault;
    afterMs = each.atMs;
  }
  return null;
}

/** One increment for each scrape: what several processes counted at the same time is one sample of the gate. */
export function scrapesOf(increments: readonly CountIncrement[]): readonly CountIncrement[] {
  const scrapes: CountIncrement[] = [];
  for (const each of increments) {
    const last = scrapes.at(-1);
    if (last?.atMs !== each.atMs) scrapes.push(each);
    else
      scrapes[scrapes.length - 1] = {
        ...each,
        bad: last.bad + each.bad,
        total: last.total + each.total,
      };
  }
  return scrapes;
}
