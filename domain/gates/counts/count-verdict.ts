import type { Verdict } from '../verdicts.js';
import type { Counts } from './count-evidence.js';
import type { CountIncrement } from './count-increment.js';
import { hasComparison, isUsableRule, type CountRule } from './count-rule.js';
import {
  afterScrape,
  evidenceWithoutWorst,
  failureThreshold,
  isSuspected,
  ruleAt,
  startEvidence,
  strongest,
  watchFrom,
  type CountWatch,
} from './count-watch.js';
import type { CountStart } from './count-starts.js';
import { faultAmong, scrapesOf, type CountFault } from './increment-fault.js';
import { harmThatMustShow, visibleHarm } from './visible-harm.js';

/** What a verdict rests on, for people and for `-o json`. */
export interface CountNumbers {
  /** Ratio of bad events in the window; null without events. */
  readonly value: number | null;
  readonly limit: number | null;
  /** The window that proves most. */
  readonly window: { readonly fromMs: number; readonly toMs: number };
  readonly events: number;
  readonly bad: number;
  readonly baseline: Counts | null;
  readonly dispersion: number;
  /** E with the window's share: such a window comes once in so many by chance, at most 2^53. */
  readonly oneIn: number;
  /** The same without the errors of its worst burst, or of its worst scrape where most events fail. */
  readonly oneInWithoutWorst: number;
  /** What both must reach to fail. */
  readonly needed: number;
  readonly badScrapes: number;
  /** Since our latest step: what was counted, and the least harm that would have shown; null if none would. */
  readonly seen: Counts & { readonly harm: number | null };
}

export type CountVerdict =
  /** Enough events that harm would have shown, and none did. */
  | { readonly kind: 'pass'; readonly numbers: CountNumbers }
  /** Too few events, none of them bad: nothing to hold for, and no proof of health. */
  | { readonly kind: 'quiet'; readonly numbers: CountNumbers }
  /** Too few events, some of them bad, but not more than chance explains. */
  | { readonly kind: 'few'; readonly numbers: CountNumbers }
  /** Probably harm: writes hold, and no soak goes on. */
  | { readonly kind: 'suspect'; readonly numbers: CountNumbers }
  | { readonly kind: 'fail'; readonly numbers: CountNumbers }
  | { readonly kind: 'unmeasured'; readonly fault: CountFault };

const NO_DATA: readonly CountFault[] = ['noScrape', 'stale', 'nothingToCompareWith'];

/** The gate's word for it. Only `pass` opens a gate. */
export function verdictOfCounts(judged: CountVerdict): Verdict {
  switch (judged.kind) {
    case 'pass':
    case 'fail':
      return judged.kind;
    case 'quiet':
    case 'few':
    case 'suspect':
      return 'inconclusive';
    case 'unmeasured':
      return NO_DATA.includes(judged.fault) ? 'noData' : 'error';
  }
}

/** What was counted since one step of ours, judged from its beginning. Any fault in it leaves it unmeasured. */
export function judgeCounts(
  rule: CountRule,
  stepAtMs: number,
  increments: readonly CountIncrement[],
  nowMs: number,
): CountVerdict {
  const fault = faultAmong(increments, nowMs);
  if (fault !== null) return { kind: 'unmeasured', fault };
  if (increments.some(({ atMs }) => atMs <= stepAtMs))
    return { kind: 'unmeasured', fault: 'beforeTheWindow' };
  const watch = scrapesOf(increments).reduce(
    (before, scrape) => afterScrape(before, rule, scrape, nowMs),
    watchFrom(stepAtMs),
  );
  return judgeWatch(watch, rule, nowMs);
}

/** What a watch says now. A failure stays; anything that could not be measured is told before anything else. */
export function judgeWatch(watch: CountWatch, given: CountRule, nowMs: number): CountVerdict {
  const fault = watchFault(watch, given, nowMs);
  const rule = ruleAt(watch, given, watch.failed?.atMs ?? watch.lastAtMs);
  if (fault === 'unusableRule') return { kind: 'unmeasured', fault };
  if (watch.failed !== null) return { kind: 'fail', numbers: numbersOf(watch, watch.failed, rule) };
  if (fault !== null) return { kind: 'unmeasured', fault };
  const numbers = numbersOf(
    watch,
    { start: strongest(watch, rule).start, atMs: watch.lastAtMs },
    rule,
  );
  if (isSuspected(watch)) return { kind: 'suspect', numbers };
  const { harm, bad } = numbers.seen;
  if (harm !== null && harm <= harmThatMustShow(rule)) return { kind: 'pass', numbers };
  return { kind: bad === 0 ? 'quiet' : 'few', numbers };
}

function watchFault(watch: CountWatch, rule: CountRule, nowMs: number): CountFault | null {
  if (!isUsableRule(rule)) return 'unusableRule';
  if (watch.fault !== null) return watch.fault;
  if (!hasComparison(rule)) return 'nothingToCompareWith';
  if (!(nowMs >= watch.lastAtMs)) return 'fromTheFuture';
  if (nowMs - watch.lastAtMs <= rule.staleAfterMs) return null;
  return watch.latest[0] >= watch.lastAtMs ? 'noScrape' : 'stale';
}

function numbersOf(
  watch: CountWatch,
  { start, atMs }: { readonly start: CountStart; readonly atMs: number },
  rule: CountRule,
): CountNumbers {
  const [fromMs, , bad, total, badScrapes] = start;
  const { baseline, limit } = rule;
  return {
    value: total === 0 ? null : bad / total,
    limit,
    window: { fromMs, toMs: atMs },
    ...{ events: total, bad, badScrapes },
    baseline: baseline === null ? null : { bad: baseline.bad, total: baseline.total },
    dispersion: baseline?.dispersion ?? 1,
    oneIn: chanceOf(startEvidence(start, rule)),
    oneInWithoutWorst: chanceOf(evidenceWithoutWorst(start, rule)),
    needed: Math.exp(failureThreshold(rule)),
    seen: seenSinceStep(watch, rule),
  };
}

function seenSinceStep({ latest }: CountWatch, rule: CountRule): CountNumbers['seen'] {
  const [, logShare, bad, total] = latest;
  return { bad, total, harm: visibleHarm(rule, total, logShare) };
}

function chanceOf(evidence: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.exp(Math.max(0, evidence)));
}
