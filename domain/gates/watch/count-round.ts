import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import { lifetimeBaseline, type CountBaseline } from '../counts/count-baseline.js';
import type { CountIncrement } from '../counts/count-increment.js';
import type { ProcessCounts } from '../samples/difference-counters.js';
import { afterSamples, type SampleContext } from './after-samples.js';
import type { CountState } from './gate-book.js';
import type { GateRound } from './gate-round.js';
import { countsIn, type CountMeasure } from './measured-values.js';
import { isStillAbsent, placesOf, valuesOf } from './read-places.js';

/** What a round is judged with. */
export interface CountContext extends Omit<SampleContext, 'usual' | 'keyOf'> {
  readonly measure: CountMeasure;
  readonly gate: CatalogueGate;
  /** How long a gate may be unmeasured. */
  readonly unmeasuredMs: number;
}

/** A gate's counts after one round. What cannot be counted changes nothing but the reason. */
export function countRound(state: CountState, round: GateRound, context: CountContext): CountState {
  const { gate, measure, unmeasuredMs } = context;
  const { atMs } = round;
  const places = placesOf(gate, round, state.watch !== null);
  if (places.kind === 'unread' && isStillAbsent(state.absentAtMs, round, unmeasuredMs))
    return state;
  if (places.kind !== 'exposed') return { ...state, why: places.why };
  const values = valuesOf(places.scrapes, (families) => countsIn(families, measure));
  if (values.kind === 'unmeasured') return { ...state, why: values.why };
  if (values.value.length === 0 && state.watch === null) {
    return { ...state, why: '', absentAtMs: atMs };
  }
  const { absentAtMs: _absentAtMs, ...served } = state;
  const samples = values.value.map(
    ({ scrape: { place, startedAtMs, scrapedAtMs }, value: counts }): ProcessCounts => ({
      ...{ place, startedAtMs, scrapedAtMs, counts },
    }),
  );
  const usual = gate.comparable ? usualBy : () => null;
  const moment = { atMs, clockMs: atMs, staleAfterMs: unmeasuredMs, samples };
  return afterSamples(served, moment, { ...context, usual, keyOf: (place) => place });
}

/** What processes counted since their start, where they counted anything. */
export function usualBy(lifetime: CountIncrement): CountBaseline | null {
  if (lifetime.total === 0) return null;
  const made = lifetimeBaseline(lifetime, lifetime.atMs);
  return made.kind === 'known' ? made.baseline : null;
}
