import type { CountBaseline } from '../counts/count-baseline.js';
import type { CountIncrement } from '../counts/count-increment.js';
import { afterScrape, atOwnStep, watchFrom, type CountWatch } from '../counts/count-watch.js';
import {
  asSample,
  CLOCK_TOLERANCE_MS,
  differenceCounters,
  type CountSample,
  type ProcessCounts,
} from '../samples/difference-counters.js';
import type { RuleFor } from './count-rules.js';
import type { CountBase, CountState } from './gate-book.js';

/** What the processes of a cluster had counted when they were read last. */
export interface CountedMoment {
  /** The worker's clock, epoch ms. */
  readonly atMs: number;
  /** The clock by which the scrapes are dated; the worker's where it reads pages itself. */
  readonly clockMs: number;
  /** A scrape that is older says nothing about now. */
  readonly staleAfterMs: number;
  readonly samples: readonly ProcessCounts[];
}

export interface SampleContext {
  readonly ruleFor: RuleFor;
  /** What is usual, where the first samples were counted by processes that ran before; null where that is not known. */
  readonly usual: (lifetime: CountIncrement) => CountBaseline | null;
  /** By what a place is remembered. */
  readonly keyOf: (place: string) => string;
  /** A round before this one: what a process that began after it counted, it counted since. */
  readonly lastAtMs: number | null;
  /** Whether a step of ours, or whatever changed what runs, lies between the round before and this one. */
  readonly isStep: boolean;
}

/** A gate's counts after its processes were read. What cannot be counted changes nothing but the reason. */
export function afterSamples(
  state: CountState,
  moment: CountedMoment,
  context: SampleContext,
): CountState {
  return counted(begunAt(state, moment, context), moment, context);
}

type BegunState = CountState & { readonly watch: CountWatch };

/** The first round that counts: the past of its processes is what is usual, and the watch begins. */
function begunAt(
  state: CountState,
  { atMs, samples }: CountedMoment,
  { usual, isStep, lastAtMs }: SampleContext,
): BegunState {
  const { watch } = state;
  if (watch !== null) {
    return { ...state, watch: isStep ? atOwnStep(watch, watch.lastAtMs) : watch };
  }
  // What runs only since the migration began has no past.
  const old = samples.filter(({ startedAtMs }) => lastAtMs === null || startedAtMs < lastAtMs);
  const bad = sum(old.map(({ counts }) => counts.bad));
  const total = sum(old.map(({ counts }) => counts.total));
  return {
    ...state,
    baseline: state.isPastLost === true ? null : usual({ atMs, bad, total }),
    watch: watchFrom(lastAtMs ?? atMs - 1),
  };
}

function counted(state: BegunState, moment: CountedMoment, context: SampleContext): CountState {
  const rule = context.ruleFor(state.baseline);
  const { atMs, samples } = moment;
  const bases: Record<string, CountBase> = {};
  // Between two owners there are none, which is no silence.
  let [bad, total, isNew] = [0, 0, samples.length === 0];
  for (const each of samples) {
    const { place } = each;
    const key = context.keyOf(place);
    const after = sinceBase(state.bases[key] ?? newcomer(each, context), each, moment);
    if (after.kind === 'unmeasured') return { ...state, why: `${place}: ${after.why}` };
    bases[key] = after.base;
    bad += after.bad;
    total += after.total;
    isNew ||= after.isNew;
  }
  // The same scrapes again are no further evidence, and no sign of life.
  if (!isNew) return { ...state, bases, why: '' };
  return {
    ...state,
    bases,
    watch: afterScrape(state.watch, rule, { atMs, bad, total }, atMs),
    why: '',
  };
}

type SinceBase =
  | {
      readonly kind: 'counted';
      readonly base: CountBase;
      readonly bad: number;
      readonly total: number;
      readonly isNew: boolean;
    }
  | { readonly kind: 'unmeasured'; readonly why: string };

/** What one process counted since its base; without one it only becomes it. */
function sinceBase(
  known: CountBase | null,
  each: ProcessCounts,
  { clockMs: nowMs, staleAfterMs }: CountedMoment,
): SinceBase {
  const nothing = { kind: 'counted', bad: 0, total: 0, isNew: true } as const;
  if (known === null) return { ...nothing, base: baseOf(each) };
  const before = restored(each.place, known);
  const difference = differenceCounters(before, asSample(each), { nowMs, staleAfterMs });
  if (difference.kind === 'unmeasured') return { kind: 'unmeasured', why: difference.why };
  // The same scrape again adds nothing, and leaves the base as it is.
  if (difference.kind === 'same') return { ...nothing, base: known, isNew: false };
  const { increment } = difference;
  return increment === null
    ? { ...nothing, base: baseOf(each) }
    : { ...nothing, bad: increment.bad, total: increment.total, base: baseOf(each) };
}

/** A process that began after the round before has counted everything since; what an older one had counted is not known. */
function newcomer({ startedAtMs }: ProcessCounts, { lastAtMs }: SampleContext): CountBase | null {
  const isNew = lastAtMs !== null && startedAtMs >= lastAtMs - CLOCK_TOLERANCE_MS;
  return isNew ? [startedAtMs, Math.min(startedAtMs, lastAtMs), 0, 0] : null;
}

function restored(place: string, [startedAtMs, scrapedAtMs, bad, total]: CountBase): CountSample {
  return asSample({ place, startedAtMs, scrapedAtMs, counts: { bad, total } });
}

function baseOf({ startedAtMs, scrapedAtMs, counts: { bad, total } }: ProcessCounts): CountBase {
  return [startedAtMs, scrapedAtMs, bad, total];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
