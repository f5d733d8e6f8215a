import type { CountIncrement } from './count-increment.js';
import { agedRule, ruleEvidence, type CountRule } from './count-rule.js';
import {
  BURST_BEFORE,
  isMinuteLater,
  isMostlyBad,
  ownStart,
  startAfter,
  withMinuteStart,
  type CountStart,
} from './count-starts.js';
import { incrementFault, type CountFault } from './increment-fault.js';

/** All that is remembered of a gate's counts since our step: plain JSON of about 1 KiB, the same as from all scrapes again. */
export interface CountWatch {
  /** Our first step; the baseline ended here. */
  readonly beganAtMs: number;
  readonly lastAtMs: number;
  /** The latest scrapes, the last one first: as many as a burst may have besides the next one. */
  readonly recent: readonly CountIncrement[];
  /** Our own steps so far, and starts at other minutes so far. */
  readonly steps: number;
  readonly minutes: number;
  /** Since our latest step, since earlier ones, and since other minutes. */
  readonly latest: CountStart;
  readonly earlier: readonly CountStart[];
  readonly others: readonly CountStart[];
  /** Good events since the last bad one. */
  readonly goodSince: number;
  /** Scrapes since one whose evidence was above the threshold of suspicion; null if none ever was. */
  readonly sinceSuspicion: number | null;
  /** The window that failed, as it was. What was shown once is not undone by good events after it. */
  readonly failed: { readonly start: CountStart; readonly atMs: number } | null;
  /** What was wrong with the last scrape. */
  readonly fault: CountFault | null;
}

/** Of our own steps before the latest one, so many are kept as starts. */
const MOST_EARLIER = 7;

/** A suspicion ends after so many scrapes below its threshold. */
const SUSPICION_SCRAPES = 8;

/** A failure needs errors in so many scrapes: one bad moment never turns a cluster around. */
const LEAST_BAD_SCRAPES = 3;

/** Where "would show" and "is over" are said with 95 % confidence. */
export const MISSED_HARM = 0.05;

export function watchFrom(stepAtMs: number): CountWatch {
  return {
    ...{ beganAtMs: stepAtMs, lastAtMs: stepAtMs, recent: [], steps: 1, minutes: 0 },
    ...{ latest: ownStart(stepAtMs, 1), earlier: [], others: [] },
    ...{ goodSince: 0, sinceSuspicion: null, failed: null, fault: null },
  };
}

/** Another step of ours: harm may begin here. */
export function atOwnStep(watch: CountWatch, stepAtMs: number): CountWatch {
  const steps = watch.steps + 1;
  const earlier = [...watch.earlier, watch.latest].slice(-MOST_EARLIER);
  return { ...watch, steps, latest: ownStart(stepAtMs, steps), earlier };
}

/** The watch after one scrape, in time proportional to the starts that are kept. A faulty scrape counts nothing. */
export function afterScrape(
  watch: CountWatch,
  rule: CountRule,
  scrape: CountIncrement,
  nowMs: number,
): CountWatch {
  const fault = incrementFault(scrape, watch.lastAtMs + 1, nowMs);
  if (fault !== null) return { ...watch, fault };
  const aged = ruleAt(watch, rule, scrape.atMs);
  return withFailure(withSuspicion(counted(watch, scrape), aged, scrape), aged, scrape);
}

export function ruleAt({ beganAtMs }: CountWatch, rule: CountRule, atMs: number): CountRule {
  return agedRule(rule, atMs - beganAtMs);
}

function counted(watch: CountWatch, scrape: CountIncrement): CountWatch {
  const { atMs, bad, total } = scrape;
  const atMinute = { scrape, before: watch.recent };
  const atStep = { scrape, before: watch.recent.slice(0, BURST_BEFORE.atStep) };
  const latest = startAfter(watch.latest, atStep);
  const earlier = watch.earlier.map((each) => startAfter(each, atStep));
  const others = watch.others.map((each) => startAfter(each, atMinute));
  const recent = [scrape, ...watch.recent].slice(0, BURST_BEFORE.atMinute);
  const goodSince = bad > 0 ? 0 : watch.goodSince + total;
  const next = {
    ...watch,
    lastAtMs: atMs,
    recent,
    latest,
    earlier,
    others,
    goodSince,
    fault: null,
  };
  if (![latest, ...others.slice(-1)].every((each) => isMinuteLater(each, atMs))) return next;
  const minutes = watch.minutes + 1;
  return { ...next, minutes, others: withMinuteStart(others, atMs, minutes) };
}

/**
 * Old errors keep the evidence of a long window up for hours on a quiet cluster. So good events since then that would hardly be if
 * harm went on count as below the threshold.
 */
function withSuspicion(watch: CountWatch, rule: CountRule, { bad }: CountIncrement): CountWatch {
  const { sinceSuspicion, goodSince } = watch;
  const isOver = goodSince * Math.log1p(-rule.mustShow) <= Math.log(MISSED_HARM);
  const maySuspect = bad > 0 || (isSuspected(watch) && !isOver);
  if (maySuspect && strongest(watch, rule).evidence >= suspicionThreshold(rule))
    return { ...watch, sinceSuspicion: 0 };
  return sinceSuspicion === null ? watch : { ...watch, sinceSuspicion: sinceSuspicion + 1 };
}

export function isSuspected({ sinceSuspicion }: CountWatch): boolean {
  return sinceSuspicion !== null && sinceSuspicion < SUSPICION_SCRAPES;
}

/** Only errors can make a window fail, so scrapes without any cost nothing. */
function withFailure(watch: CountWatch, rule: CountRule, { bad }: CountIncrement): CountWatch {
  if (bad === 0 || watch.failed !== null || watch.sinceSuspicion !== 0) return watch;
  const start = startsOf(watch).find((each) => hasFailed(each, rule));
  return start === undefined ? watch : { ...watch, failed: { start, atMs: watch.lastAtMs } };
}

function hasFailed(start: CountStart, rule: CountRule): boolean {
  const threshold = failureThreshold(rule);
  return (
    start[4] >= LEAST_BAD_SCRAPES &&
    startEvidence(start, rule) >= threshold &&
    evidenceWithoutWorst(start, rule) >= threshold
  );
}

/** In nats, with the window's share: what E must reach. */
export function failureThreshold({ gates, falseAlarms }: CountRule): number {
  return Math.log(gates / falseAlarms);
}

export function suspicionThreshold({ suspicion }: CountRule): number {
  return -Math.log(suspicion);
}

export function startEvidence([, logShare, bad, total]: CountStart, rule: CountRule): number {
  return ruleEvidence(rule, { bad, total }) + logShare;
}

/**
 * What is left without the errors of the window's worst burst: three scrapes in a row, or two minutes where the window begins at any minute. Where most events of the window
 * and of three of its scrapes are bad, only its worst scrape is left out: a blip of 15 s falls into two at most. Good events stay.
 */
export function evidenceWithoutWorst(start: CountStart, rule: CountRule): number {
  const [, logShare, bad, total, , mostlyBad, worstScrape, worstBurst] = start;
  const isBurst = !isMostlyBad({ bad, total }) || mostlyBad < LEAST_BAD_SCRAPES;
  const worst = isBurst ? worstBurst : worstScrape;
  return ruleEvidence(rule, { bad: bad - worst, total: total - worst }) + logShare;
}

/** The window that proves most, by its share. */
export function strongest(watch: CountWatch, rule: CountRule): WeighedStart {
  let best = weighed(watch.latest, rule);
  for (const start of startsOf(watch)) {
    const each = weighed(start, rule);
    if (each.evidence > best.evidence) best = each;
  }
  return best;
}

interface WeighedStart {
  readonly start: CountStart;
  readonly evidence: number;
}

function weighed(start: CountStart, rule: CountRule): WeighedStart {
  return { start, evidence: startEvidence(start, rule) };
}

function startsOf({ latest, earlier, others }: CountWatch): readonly CountStart[] {
  return [latest, ...earlier, ...others];
}
