import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import type { GaugePoint, GaugeState } from './gate-book.js';
import type { GateRound } from './gate-round.js';
import { gaugeIn, type GaugeMeasure } from './measured-values.js';
import { isStillAbsent, placesOf, valuesOf } from './read-places.js';

interface GaugeContext {
  readonly gate: CatalogueGate;
  readonly measure: GaugeMeasure;
  readonly unmeasuredMs: number;
}

/** A gauge after one round: the most that any process shows. What cannot be read changes nothing but the reason. */
export function gaugeRound(
  state: GaugeState,
  round: GateRound,
  { gate, measure, unmeasuredMs }: GaugeContext,
): GaugeState {
  const places = placesOf(gate, round, state.latest !== null);
  if (places.kind === 'unread' && isStillAbsent(state.absentAtMs, round, unmeasuredMs))
    return state;
  if (places.kind !== 'exposed') return { ...state, why: places.why };
  const values = valuesOf(places.scrapes, (families) => gaugeIn(families, measure));
  if (values.kind === 'unmeasured') return { ...state, why: values.why };
  if (values.value.length === 0 && state.latest === null) {
    return { ...state, why: '', absentAtMs: round.atMs };
  }
  // Between two owners nothing waits anywhere.
  const value = Math.max(0, ...values.value.map((each) => each.value));
  const latest = { atMs: round.atMs, value };
  return { kind: 'gauge', latest, lowest: lowestAfter(state.lowest, latest), why: '' };
}

function lowestAfter(before: GaugePoint | null, now: GaugePoint): GaugePoint | null {
  if (now.value === 0) return null;
  return before === null || now.value < before.value ? now : before;
}
