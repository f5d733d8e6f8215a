import type { Counts } from './count-evidence.js';
import type { CountIncrement } from './count-increment.js';

/**
 * A window that is open: when it began, the logarithm of its share of the chance to alarm falsely, what was counted since, in
 * how many scrapes there were errors, in how many at least as many errors as good events, and the most errors of one scrape and of
 * as many in a row as a burst may have. A tuple, because dozens travel in a heartbeat.
 */
export type CountStart = readonly [
  atMs: number,
  logShare: number,
  bad: number,
  total: number,
  badScrapes: number,
  mostlyBadScrapes: number,
  worstScrape: number,
  worstBurst: number,
];

/** A start at any minute is given up where an older one is at most so many times as old as the next younger one. */
const AGE_RATIO = 2;

const MINUTE_MS = 60_000;

/**
 * A start at a step of ours. Steps have half of the chance to alarm falsely: shares of 4 / ((n + 3)(n + 4)) add up to 1, and the
 * sixth step still has a fifth of the first one's.
 */
export function ownStart(atMs: number, step: number): CountStart {
  return emptyStart(atMs, 4 / ((step + 3) * (step + 4)) / 2);
}

/**
 * Harm may begin at any minute. The shares of 1/log2(n + 1) - 1/log2(n + 2) add up to 1 over all n, and fall little faster than 1/n.
 * Those that are kept are spaced by age, about 2 log2(minutes) of them, so a change at any time has one nearby.
 */
export function withMinuteStart(
  minutes: readonly CountStart[],
  atMs: number,
  count: number,
): readonly CountStart[] {
  const share = 1 / Math.log2(count + 1) - 1 / Math.log2(count + 2);
  return spacedByAge([...minutes, emptyStart(atMs, share / 2)], atMs);
}

/** Whether another minute has begun, and something was counted since the youngest start: an empty window proves the same. */
export function isMinuteLater([startedAtMs, , , total]: CountStart, atMs: number): boolean {
  return total > 0 && atMs - startedAtMs >= MINUTE_MS;
}

/**
 * A burst of errors may have so many scrapes besides its last one. Of the windows that begin at any minute some one will begin with a
 * burst on a day with many of them, so these must stand without two minutes.
 */
export const BURST_BEFORE = { atStep: 2, atMinute: 7 };

/** What a scrape adds to a window that holds all of the latest scrapes. */
interface LatestErrors {
  readonly scrape: CountIncrement;
  /** Scrapes before it in a row, the latest first; some may be older than a window. */
  readonly before: readonly CountIncrement[];
}

export function startAfter(start: CountStart, { scrape, before }: LatestErrors): CountStart {
  const [atMs, logShare, bad, total, badScrapes, mostlyBad, worstScrape, worstBurst] = start;
  // Without errors of its own, no burst that ends here has more of them than one before.
  if (scrape.bad === 0)
    return [
      atMs,
      logShare,
      bad,
      total + scrape.total,
      badScrapes,
      mostlyBad,
      worstScrape,
      worstBurst,
    ];
  const within = before.filter((each) => each.atMs > atMs);
  const burst = within.reduce((sum, each) => sum + each.bad, scrape.bad);
  return [
    ...([atMs, logShare, bad + scrape.bad, total + scrape.total] as const),
    ...([badScrapes + 1, mostlyBad + Number(isMostlyBad(scrape))] as const),
    ...([Math.max(worstScrape, scrape.bad), Math.max(worstBurst, burst)] as const),
  ];
}

/** Errors among good events may come in bursts; where most events fail it is no burst. */
export function isMostlyBad({ bad, total }: Counts): boolean {
  return bad > 0 && 2 * bad >= total;
}

/** Rounded down, so that no share is larger than it may be. */
function emptyStart(atMs: number, share: number): CountStart {
  return [atMs, Math.floor(Math.log(share) * 100) / 100, 0, 0, 0, 0, 0, 0];
}

function spacedByAge(starts: readonly CountStart[], nowMs: number): readonly CountStart[] {
  const kept: CountStart[] = [];
  for (const [index, start] of starts.entries()) {
    const [older, younger] = [kept.at(-1), starts[index + 1]];
    const isBetween = older !== undefined && younger !== undefined;
    if (isBetween && nowMs - older[0] <= AGE_RATIO * (nowMs - younger[0])) continue;
    kept.push(start);
  }
  return kept;
}
