import type { MetricGatePolicy } from '../../policy.js';
import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import { watchFrom } from '../counts/count-watch.js';
import type { SampleContext } from './after-samples.js';
import { countRound } from './count-round.js';
import { countRule, type RuleFor } from './count-rules.js';
import { emptyState, type GateBook, type GateState } from './gate-book.js';
import type { GateRound } from './gate-round.js';
import { gaugeRound } from './gauge-round.js';
import { isCounted } from './measured-values.js';
import { knownPlaces, unseenPlaces } from './unseen-places.js';

/** What runs changes several times within one step of ours. */
const SAME_STEP_MS = 60_000;

/**
 * The book after one round. Windows begin where what runs has changed: at steps of ours, and at anything else that could do
 * harm. A process that keeps crashing does not begin one each time.
 */
export function addRound(
  book: GateBook,
  gates: readonly CatalogueGate[],
  round: GateRound,
  policy: MetricGatePolicy,
): GateBook {
  // Between two owners no manager runs; but a book that begins with none would take silence for its cluster's way.
  if (book.lastAtMs === null && round.places.length === 0) return book;
  const { unmeasuredMs } = policy;
  const places = [...round.places, ...unseenPlaces(book.places ?? [], round.unseen)];
  const whole = { ...round, places };
  const next = withStates(book, round, (since) =>
    gates.map((gate): [string, GateState] => {
      const before = book.gates[gate.name] ?? emptyState(gate);
      const ruleFor = countRule(policy, limitOf(gate), gates);
      return [gate.name, stateAfter(before, gate, whole, { ...since, ruleFor, unmeasuredMs })];
    }),
  );
  return next === book ? book : { ...next, places: knownPlaces(places) };
}

/** What lies between a round and the one before it. */
export type SinceRound = Pick<SampleContext, 'lastAtMs' | 'isStep'>;

/** The book after a round, with the states of its gates; unchanged where the round is not later than its last one. */
export function withStates(
  book: GateBook,
  { atMs, setup: seen }: Pick<GateRound, 'atMs' | 'setup'>,
  states: (since: SinceRound) => readonly (readonly [gate: string, state: GateState])[],
): GateBook {
  const { lastAtMs } = book;
  // Another worker's clock may be behind: a round that is not later says nothing new.
  if (lastAtMs !== null && atMs <= lastAtMs) return book;
  // A node that answers now and then would otherwise begin a window each time.
  const setup = seen ?? book.setup;
  // A step of ours, or whatever changed what runs.
  const isStep = lastAtMs !== null && setup !== book.setup && atMs - book.setupAtMs >= SAME_STEP_MS;
  return {
    ...book,
    ...{ lastAtMs: atMs, setup, setupAtMs: isStep ? atMs : book.setupAtMs },
    gates: Object.fromEntries(states({ lastAtMs, isStep })),
  };
}

export function limitOf({ measure }: CatalogueGate): number | null {
  return 'limit' in measure ? measure.limit : null;
}

interface RoundContext extends SinceRound {
  readonly ruleFor: RuleFor;
  readonly unmeasuredMs: number;
}

function stateAfter(
  before: GateState,
  gate: CatalogueGate,
  round: GateRound,
  context: RoundContext,
): GateState {
  const { measure } = gate;
  if (isCounted(measure) && before.kind === 'counts') {
    return countRound(before, round, { ...context, gate, measure });
  }
  if (!isCounted(measure) && before.kind === 'gauge') {
    return gaugeRound(before, round, { gate, measure, unmeasuredMs: context.unmeasuredMs });
  }
  // A book of a build in which the gate of this name measured otherwise.
  return stateAfter(emptyState(gate), gate, round, context);
}

/**
 * The book in a new epoch: where a person, or a turn of direction, accepted failures of these gates, a new window begins. What
 * was shown before would otherwise fail for ever. A past that is lost stays lost.
 */
export function acknowledgedIn(
  book: GateBook,
  epoch: number,
  acknowledged: (gate: string) => boolean,
): GateBook {
  if (epoch === book.epoch) return book;
  const { lastAtMs } = book;
  const states = Object.entries(book.gates).map(([name, state]): [string, GateState] => [
    name,
    acknowledged(name) && state.kind === 'counts' && state.watch !== null && lastAtMs !== null
      ? { ...state, watch: watchFrom(lastAtMs) }
      : state,
  ]);
  return { ...book, epoch, gates: Object.fromEntries(states) };
}
