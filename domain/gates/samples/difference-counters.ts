import type { CountIncrement } from '../counts/count-increment.js';
import type { EventCounts } from './event-counts.js';
import { type Measurement, measured } from './measurement.js';
import type { ProcessScrape } from './process-scrape.js';

/** What a process had counted at one scrape. */
export interface CountSample extends Pick<ProcessScrape, 'place' | 'startedAtMs' | 'scrapedAtMs'> {
  readonly counts: Measurement<EventCounts>;
}

/** The same where it could be counted. */
export interface ProcessCounts extends Omit<CountSample, 'counts'> {
  readonly counts: EventCounts;
}

export function asSample(each: ProcessCounts): CountSample {
  return { ...each, counts: measured(each.counts) };
}

/**
 * What happened between two scrapes of one place. `base` is the sample from which the next one is differenced: a sample that
 * cannot be used leaves the previous one in place, so the events in between are counted once it can be read again.
 */
export type CountDifference =
  | { readonly kind: 'counted'; readonly increment: CountIncrement; readonly base: CountSample }
  /** The same scrape, seen again. */
  | { readonly kind: 'same'; readonly why: string; readonly base: CountSample }
  /**
   * A process that began after the previous scrape: what it has counted, it counted since. What its predecessor counted
   * after that scrape is lost. `increment` is null where it is not certain that all of it happened since.
   */
  | {
      readonly kind: 'restarted';
      readonly why: string;
      readonly increment: CountIncrement | null;
      readonly base: CountSample;
    }
  | { readonly kind: 'unmeasured'; readonly why: string; readonly base: CountSample };

export interface SampleClock {
  /** Of the source where it tells its time, else ours, in milliseconds of Unix time. */
  readonly nowMs: number;
  /** A scrape that is older says nothing about now. */
  readonly staleAfterMs: number;
}

/** How far clocks of nodes, of Prometheus and ours may differ. NTP keeps them within some 100 ms. */
export const CLOCK_TOLERANCE_MS = 5_000;

/**
 * A start time is boot time plus ticks, and boot time follows corrections of the clock, so one process reports slightly
 * different ones. Source: prometheus/procfs proc_stat.go, StartTime.
 */
const SAME_START_MS = 1_000;

/** Differences the counters of one process; processes are never mixed, and a sum over several is never differenced. */
export function differenceCounters(
  previous: CountSample,
  next: CountSample,
  clock: SampleClock,
): CountDifference {
  const refusal = refusalOf(previous, next, clock);
  if (refusal !== null) return { kind: 'unmeasured', why: refusal, base: previous };
  const movedMs = next.startedAtMs - previous.startedAtMs;
  const isSame = Math.abs(movedMs) <= SAME_START_MS;
  if (next.scrapedAtMs === previous.scrapedAtMs) return sameScrape(previous, next, isSame);
  if (next.counts.kind === 'unmeasured') {
    return { kind: 'unmeasured', why: next.counts.why, base: isSame ? previous : next };
  }
  if (!isSame) return ofAnotherProcess(previous, next, next.counts.value);
  if (previous.counts.kind === 'unmeasured') {
    return { kind: 'unmeasured', why: `before it: ${previous.counts.why}`, base: next };
  }
  return grown(previous, next, previous.counts.value, next.counts.value);
}

/** Why a sample cannot follow the other one at all. */
function refusalOf(
  previous: CountSample,
  next: CountSample,
  { nowMs, staleAfterMs }: SampleClock,
): string | null {
  if (next.place !== previous.place) return `${next.place} is not ${previous.place}`;
  if (next.scrapedAtMs > nowMs + CLOCK_TOLERANCE_MS) {
    return `the scrape is from ${next.scrapedAtMs - nowMs} ms in the future: compare the clocks`;
  }
  const ageMs = nowMs - next.scrapedAtMs;
  if (!(ageMs <= staleAfterMs)) {
    return `the scrape is ${ageMs} ms old, of at most ${staleAfterMs} ms`;
  }
  if (next.startedAtMs > next.scrapedAtMs + CLOCK_TOLERANCE_MS) {
    return 'the process started after it was scraped: compare the clocks';
  }
  return next.scrapedAtMs < previous.scrapedAtMs
    ? 'the scrape is older than the previous one'
    : null;
}

/** One process that counted differently at one moment contradicts itself. */
function sameScrape(previous: CountSample, next: CountSample, isSame: boolean): CountDifference {
  const agrees =
    next.counts.kind === previous.counts.kind &&
    (next.counts.kind === 'unmeasured' ||
      previous.counts.kind === 'unmeasured' ||
      (next.counts.value.bad === previous.counts.value.bad &&
        next.counts.value.total === previous.counts.value.total));
  return isSame && agrees
    ? { kind: 'same', why: 'the same scrape', base: previous }
    : { kind: 'unmeasured', why: 'two answers for the same scrape', base: previous };
}

/**
 * Another start: a successor if it began after the previous scrape. One that ran before then is another process at the same
 * place (several replicas behind one address), whose counts cover another time.
 */
function ofAnotherProcess(
  previous: CountSample,
  next: CountSample,
  { bad, total }: EventCounts,
): CountDifference {
  if (next.startedAtMs < previous.scrapedAtMs - CLOCK_TOLERANCE_MS) {
    const why = 'another process answers at this place, which ran before the previous scrape';
    return { kind: 'unmeasured', why, base: next };
  }
  const isCertain = next.startedAtMs >= previous.scrapedAtMs;
  return {
    kind: 'restarted',
    why: 'the process is a new one',
    increment: isCertain ? { atMs: next.scrapedAtMs, bad, total } : null,
    base: next,
  };
}

function grown(
  previous: CountSample,
  next: CountSample,
  before: EventCounts,
  now: EventCounts,
): CountDifference {
  const bad = now.bad - before.bad;
  const total = now.total - before.total;
  if (bad < 0 || total < 0) {
    const why = 'a counter fell, so it was reset';
    return { kind: 'restarted', why, increment: null, base: next };
  }
  if (bad > total) {
    const why = `${bad} bad events of ${total} since the previous scrape contradict each other`;
    return { kind: 'unmeasured', why, base: previous };
  }
  return { kind: 'counted', increment: { atMs: next.scrapedAtMs, bad, total }, base: next };
}
