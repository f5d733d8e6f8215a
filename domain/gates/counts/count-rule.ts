import type { CountBaseline } from './count-baseline.js';
import { evidenceOfHarm, evidenceOverLimit, type Counts } from './count-evidence.js';

/** How the counts of one gate are judged in one run. Ratios are from 0 to 1. */
export interface CountRule {
  /** Null where nothing of before is known: then only `limit` judges. */
  readonly baseline: CountBaseline | null;
  /** The absolute limit of the policy; null for none. */
  readonly limit: number | null;
  /** The window's ratio may be so many times the baseline's. */
  readonly tolerance: number;
  /** A ratio of bad events up to this is no harm, whatever the baseline. */
  readonly leastRatio: number;
  /** How probable it may be that a whole run in which nothing is wrong fails. */
  readonly falseAlarms: number;
  /** Among so many gates that probability is split. */
  readonly gates: number;
  /** The same for one gate's suspicion, which only holds. */
  readonly suspicion: number;
  /** Harm of this ratio must have been visible before a gate passes or a suspicion ends early. */
  readonly mustShow: number;
  /** Without a scrape for so long, nothing is known. */
  readonly staleAfterMs: number;
}

/** The numbers of a policy that says nothing; tolerance, share of false alarms and floor are those of the benchmark. */
export const USUAL_COUNT_RULE: Omit<CountRule, 'baseline' | 'gates'> = {
  limit: null,
  tolerance: 1.5,
  leastRatio: 0.01,
  falseAlarms: 0.01,
  suspicion: 0.05,
  mustShow: 0.2,
  staleAfterMs: 120_000,
};

/** A rule with a number that compares with nothing (NaN, a limit of 0) would pass everything or nothing. */
export function isUsableRule(rule: CountRule): boolean {
  const { baseline, limit, tolerance, leastRatio, falseAlarms, gates, suspicion } = rule;
  const shares = [limit ?? 0.5, leastRatio, falseAlarms, suspicion, rule.mustShow];
  const known = baseline ?? { bad: 0, total: 0, dispersion: 1 };
  return (
    shares.every((each) => each > 0 && each < 1) &&
    [tolerance, gates, known.dispersion].every((each) => each >= 1 && each < Infinity) &&
    [known.bad, rule.staleAfterMs].every((each) => each >= 0 && each < Infinity) &&
    known.bad <= known.total &&
    known.total < Infinity
  );
}

/** Whether anything says what is normal. */
export function hasComparison({ baseline, limit }: CountRule): boolean {
  return limit !== null || (baseline !== null && baseline.total > 0);
}

/** A baseline ages: ratios swing by half over a day, which is 3 from its least to its most, and so after six hours tolerance has doubled. */
const BASELINE_AGES_MS = 6 * 3_600_000;

/** The rule so long after the baseline ended. */
export function agedRule(rule: CountRule, ageMs: number): CountRule {
  const aged = Math.min(1, Math.max(0, ageMs / BASELINE_AGES_MS));
  return { ...rule, tolerance: rule.tolerance * (1 + aged) };
}

/**
 * The logarithm of the e-value of a window by what it is compared with. Baseline and limit are two chances to fail, so each has half
 * where there are both. The power 1 / dispersion weakens what errors in clusters prove.
 */
export function ruleEvidence(rule: CountRule, window: Counts): number {
  const { baseline, limit } = rule;
  const dispersion = baseline?.dispersion ?? 1;
  const overLimit = limit === null ? 0 : evidenceOverLimit(window, limit);
  if (baseline === null) return overLimit / dispersion;
  const halved = limit === null ? 0 : Math.LN2;
  const harm = evidenceOverBaseline(rule, baseline, window);
  return Math.max(0, Math.max(harm, overLimit) / dispersion - halved);
}

/**
 * Harm is more than the tolerated multiple of the baseline and more than the floor. The floor must be reached, and half of it be refuted:
 * to refute all of it takes half as long again.
 */
function evidenceOverBaseline(
  { leastRatio, tolerance }: CountRule,
  baseline: CountBaseline,
  window: Counts,
): number {
  if (window.bad < leastRatio * window.total) return 0;
  const overFloor = evidenceOverLimit(window, leastRatio / 2);
  return overFloor === 0 ? 0 : Math.min(overFloor, evidenceOfHarm(baseline, window, tolerance));
}
