import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import { lifetimeBaseline, type CountBaseline } from '../counts/count-baseline.js';
import type { CountRule } from '../counts/count-rule.js';
import { afterScrape, atOwnStep, watchFrom, type CountWatch } from '../counts/count-watch.js';
import {
  CLOCK_TOLERANCE_MS,
  differenceCounters,
  type CountSample,
} from '../samples/difference-counters.js';
import type { EventCounts } from '../samples/event-counts.js';
import { measured } from '../samples/measurement.js';
import type { ProcessScrape } from '../samples/process-scrape.js';
import type { CountBase, CountState } from './gate-book.js';
import type { GateRound } from './gate-round.js';
import { countsIn, type CountMeasure } from './measured-values.js';
import { isStillAbsent, placesOf, valuesOf } from './read-places.js';

/** What a round is judged with. */
export interface CountContext {
  readonly measure: CountMeasure;
  readonly gate: CatalogueGate;
  readonly ruleFor: (baseline: CountBaseline | null) => CountRule;
  /** A round before this one: what a process that began after it counted, it counted since. */
  readonly lastAtMs: number | null;
  /** Whether a step of ours, or whatever changed what runs, lies between the round before and this one. */
  readonly isStep: boolean;
  /** How long a gate may be unmeasured. */
  readonly unmeasuredMs: number;
}

/** A gate's counts after one round. What cannot be counted changes nothing but the reason. */
export function countRound(state: CountState, round: GateRound, context: CountContext): CountState {
  const { gate, measure, unmeasuredMs } = context;
  const places = placesOf(gate, round, state.watch !== null);
  if (places.kind === 'unread' && isStillAbsent(state.absentAtMs, round, unmeasuredMs))
    return state;
  if (places.kind !== 'exposed') return { ...state, why: places.why };
  const values = valuesOf(places.scrapes, (families) => countsIn(families, measure));
  if (values.kind === 'unmeasured') return { ...state, why: values.why };
  if (values.value.length === 0 && state.watch === null) {
    return { ...state, why: '', absentAtMs: round.atMs };
  }
  const { absentAtMs: _absentAtMs, ...served } = state;
  return counted(begunAt(served, round, values.value, context), round, values.value, context);
}

interface Counted {
  readonly scrape: ProcessScrape;
  readonly value: EventCounts;
}

type BegunState = CountState & { readonly watch: CountWatch };

/** The first round that counts: the past of its processes is what is usual, and the watch begins. */
function begunAt(
  state: CountState,
  { atMs }: GateRound,
  values: readonly Counted[],
  { gate, isStep, lastAtMs }: CountContext,
): BegunState {
  const { watch } = state;
  if (watch !== null) {
    return { ...state, watch: isStep ? atOwnStep(watch, watch.lastAtMs) : watch };
  }
  // What runs only since the migration began has no past.
  const old = values.filter(({ scrape }) => lastAtMs === null || scrape.startedAtMs < lastAtMs);
  const bad = sum(old.map(({ value }) => value.bad));
  const total = sum(old.map(({ value }) => value.total));
  const made = gate.comparable && total > 0 ? lifetimeBaseline({ atMs, bad, total }, atMs) : null;
  return {
    ...state,
    baseline: made?.kind === 'known' ? made.baseline : null,
    watch: watchFrom(lastAtMs ?? atMs - 1),
  };
}

function counted(
  state: BegunState,
  round: GateRound,
  values: readonly Counted[],
  context: CountContext,
): CountState {
  const rule = context.ruleFor(state.baseline);
  const { atMs } = round;
  const bases: Record<string, CountBase> = {};
  let [bad, total] = [0, 0];
  for (const each of values) {
    const { place } = each.scrape;
    const after = sinceBase(state.bases[place] ?? newcomer(each, context), each, rule, atMs);
    if (after.kind === 'unmeasured') return { ...state, why: `${place}: ${after.why}` };
    bases[place] = after.base;
    bad += after.bad;
    total += after.total;
  }
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
    }
  | { readonly kind: 'unmeasured'; readonly why: string };

/** What one process counted since its base; without one it only becomes it. */
function sinceBase(
  known: CountBase | null,
  each: Counted,
  { staleAfterMs }: CountRule,
  nowMs: number,
): SinceBase {
  const nothing = { kind: 'counted', bad: 0, total: 0 } as const;
  if (known === null) return { ...nothing, base: baseOf(each) };
  const before = restored(each.scrape.place, known);
  const difference = differenceCounters(before, sampleOf(each), { nowMs, staleAfterMs });
  if (difference.kind === 'unmeasured') return { kind: 'unmeasured', why: difference.why };
  // The same scrape again adds nothing, and leaves the base as it is.
  if (difference.kind === 'same') return { ...nothing, base: known };
  const { increment } = difference;
  return increment === null
    ? { ...nothing, base: baseOf(each) }
    : { ...nothing, bad: increment.bad, total: increment.total, base: baseOf(each) };
}

/** A process that began after the round before has counted everything since; what an older one had counted is not known. */
function newcomer({ scrape }: Counted, { lastAtMs }: CountContext): CountBase | null {
  const isNew = lastAtMs !== null && scrape.startedAtMs >= lastAtMs - CLOCK_TOLERANCE_MS;
  return isNew ? [scrape.startedAtMs, Math.min(scrape.startedAtMs, lastAtMs), 0, 0] : null;
}

function sampleOf({ scrape, value }: Counted): CountSample {
  const { place, startedAtMs, scrapedAtMs } = scrape;
  return { place, startedAtMs, scrapedAtMs, counts: measured(value) };
}

function restored(place: string, [startedAtMs, scrapedAtMs, bad, total]: CountBase): CountSample {
  return { place, startedAtMs, scrapedAtMs, counts: measured({ bad, total }) };
}

function baseOf({ scrape, value }: Counted): CountBase {
  return [scrape.startedAtMs, scrape.scrapedAtMs, value.bad, value.total];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
