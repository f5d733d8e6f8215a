import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import { lifetimeBaseline, type CountBaseline } from '../counts/count-baseline.js';
import type { CountRule } from '../counts/count-rule.js';
import { afterScrape, atOwnStep, watchFrom } from '../counts/count-watch.js';
import {
  CLOCK_TOLERANCE_MS,
  differenceCounters,
  type CountDifference,
  type CountSample,
} from '../samples/difference-counters.js';
import type { EventCounts } from '../samples/event-counts.js';
import { measured } from '../samples/measurement.js';
import type { ProcessScrape } from '../samples/process-scrape.js';
import type { CountBase, CountState } from './gate-book.js';
import type { GateRound } from './gate-round.js';
import { countsIn, type CountMeasure } from './measured-values.js';
import { placesOf, valuesOf } from './read-places.js';

/** What a round is judged with. */
export interface CountContext {
  readonly measure: CountMeasure;
  readonly gate: CatalogueGate;
  readonly ruleFor: (baseline: CountBaseline | null) => CountRule;
  /** A round before this one: what a process that began after it counted, it counted since. */
  readonly lastAtMs: number | null;
  /** Whether a step of ours, or whatever changed what runs, lies between the round before and this one. */
  readonly isStep: boolean;
}

/** A gate's counts after one round. What cannot be counted changes nothing but the reason. */
export function countRound(state: CountState, round: GateRound, context: CountContext): CountState {
  const { gate, measure } = context;
  const places = placesOf(gate, round, state.watch !== null);
  if (places.kind !== 'exposed') return { ...state, why: places.why };
  const values = valuesOf(places.scrapes, (families) => countsIn(families, measure));
  if (values.kind === 'unmeasured') return { ...state, why: values.why };
  if (values.value.length === 0 && state.watch === null) return { ...state, why: '' };
  const begun = begunAt(state, round, values.value, context);
  return counted(begun, round, values.value, context);
}

interface Counted {
  readonly scrape: ProcessScrape;
  readonly value: EventCounts;
}

/** The first round that counts: the past of its processes is what is usual, and the watch begins. */
function begunAt(
  state: CountState,
  { atMs }: GateRound,
  values: readonly Counted[],
  { gate, isStep, lastAtMs }: CountContext,
): CountState {
  if (state.watch !== null) {
    return isStep && lastAtMs !== null
      ? { ...state, watch: atOwnStep(state.watch, Math.max(lastAtMs, state.watch.lastAtMs)) }
      : state;
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
  state: CountState,
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
    const known = state.bases[place] ?? newcomer(each, context);
    if (known === null) {
      bases[place] = baseOf(sampleOf(each));
      continue;
    }
    const clock = { nowMs: atMs, staleAfterMs: rule.staleAfterMs };
    const difference = differenceCounters(restored(place, known), sampleOf(each), clock);
    if (difference.kind === 'unmeasured') return { ...state, why: `${place}: ${difference.why}` };
    bases[place] = baseOf(difference.base);
    const increment = incrementIn(difference);
    bad += increment?.bad ?? 0;
    total += increment?.total ?? 0;
  }
  const { watch } = state;
  if (watch === null) return state;
  return { ...state, bases, watch: afterScrape(watch, rule, { atMs, bad, total }, atMs), why: '' };
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

function baseOf({ startedAtMs, scrapedAtMs, counts }: CountSample): CountBase {
  const { bad, total } = counts.kind === 'measured' ? counts.value : { bad: 0, total: 0 };
  return [startedAtMs, scrapedAtMs, bad, total];
}

function incrementIn(difference: CountDifference): { bad: number; total: number } | null {
  switch (difference.kind) {
    case 'counted':
    case 'restarted':
      return difference.increment;
    case 'same':
    case 'unmeasured':
      return null;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
