import { countBaselineOf, lifetimeBaseline } from '../../../domain/gates/counts/count-baseline.js';
import { USUAL_COUNT_RULE, type CountRule } from '../../../domain/gates/counts/count-rule.js';
import { judgeWatch, type CountVerdict } from '../../../domain/gates/counts/count-verdict.js';
import {
  afterScrape,
  atOwnStep,
  isSuspected,
  watchFrom,
} from '../../../domain/gates/counts/count-watch.js';
import { FIRST_STEP_MS, HOUR_SCRAPES, OWN_STEPS_MS, type Trace } from './traces/drawn-trace.js';

/** What our rule made of one trace. Scrapes are counted from our first step, the first one is 1. */
export interface JudgedTrace {
  readonly failedAt: number | null;
  readonly suspectAt: number | null;
  /** Scrapes in which it was suspect. */
  readonly suspectScrapes: number;
  /** The verdict after the last scrape. */
  readonly ends: CountVerdict['kind'];
}

/** Gates of a run in the benchmark. */
export const GATES_OF_A_RUN = 12;

/**
 * @param from the scrape before which suspicions are not counted: those of before the harm.
 * @param phaseMs how long after a scrape our steps are.
 */
export function judgeTrace(trace: Trace, from = 0, phaseMs = 0): JudgedTrace {
  const rule = ruleFor(trace);
  const [, ...steps] = OWN_STEPS_MS.map((ms) => FIRST_STEP_MS + ms + phaseMs);
  let watch = watchFrom(FIRST_STEP_MS + phaseMs);
  let [suspectAt, suspectScrapes]: [number | null, number] = [null, 0];
  for (const [index, scrape] of trace.after.entries()) {
    for (; steps[0] !== undefined && steps[0] < scrape.atMs; steps.shift())
      watch = atOwnStep(watch, steps[0]);
    watch = afterScrape(watch, rule, scrape, scrape.atMs);
    if (watch.failed !== null) return { ...failed(index + 1, suspectAt), suspectScrapes };
    if (!isSuspected(watch)) continue;
    suspectScrapes += 1;
    if (index >= from) suspectAt ??= index + 1;
  }
  const ends = judgeWatch(watch, rule, watch.lastAtMs).kind;
  return { failedAt: null, suspectAt, suspectScrapes, ends };
}

function failed(at: number, suspectAt: number | null): Omit<JudgedTrace, 'suspectScrapes'> {
  return { failedAt: at, suspectAt: suspectAt ?? at, ends: 'fail' };
}

function ruleFor({ before, past }: Trace): CountRule {
  const made =
    typeof past === 'object'
      ? lifetimeBaseline(past, FIRST_STEP_MS)
      : countBaselineOf(past === 'all' ? before : before.slice(-HOUR_SCRAPES), FIRST_STEP_MS);
  if (made.kind === 'unmeasured') throw new Error(`the drawn baseline is faulty: ${made.fault}`);
  return { ...USUAL_COUNT_RULE, baseline: made.baseline, gates: GATES_OF_A_RUN };
}
