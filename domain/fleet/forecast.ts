import type { FleetEvent } from './fleet-events.js';
import type { FleetState } from './fleet-state.js';
import { randomStream } from './random.js';
import { hasEnded } from './fleet-rows.js';
import { simulateFleet } from './simulated-fleet.js';
import type { RowBehaviour } from './simulated-member.js';

/** How much clusters of a fleet differ from what the plan expects. */
export interface DurationModel {
  /** 0.5: between half and one and a half times the expected change. */
  readonly spread: number;
  readonly slowShare: number;
  readonly slowFactor: number;
  readonly failShare: number;
  /** Kinds of failures that chance brings. */
  readonly kinds: number;
  readonly soakMs: number;
  /** Instead of it, for each wave. */
  readonly waveSoakMs?: readonly number[];
  /** Time of a rollback, as a share of the expected change. */
  readonly backFactor: number;
  /** After which time a person judges a held cluster; null for never. */
  readonly personMs: number | null;
}

export interface Forecast {
  readonly p50Ms: number;
  readonly p90Ms: number;
  /** How many times longer the budget makes it; null when the budget stops the fleet. */
  readonly budgetCost: number | null;
  /** Most clusters that one of the drawn runs left unfinished. */
  readonly unfinished: number;
  /** When the last cluster of each wave ends. */
  readonly waves: readonly ForecastLengths[];
}

interface ForecastLengths {
  readonly p50Ms: number;
  readonly p90Ms: number;
}

/** One draw for each cluster, the same for the same seed. */
export function drawBehaviours(
  { rows }: FleetState,
  model: DurationModel,
  seed: number,
): readonly RowBehaviour[] {
  const random = randomStream(seed);
  return rows.map(({ expectedMs, wave }) => {
    const soakMs = model.waveSoakMs?.[wave] ?? model.soakMs;
    const spread = 1 + model.spread * (2 * random() - 1);
    const slow = random() < model.slowShare ? model.slowFactor : 1;
    const changeMs = Math.round(expectedMs * spread * slow);
    const [fails, afterShare, kind] = [random() < model.failShare, random(), random()];
    const failure = {
      afterMs: Math.round(changeMs * afterShare),
      signature: `kind ${Math.floor(kind * model.kinds)}`,
    };
    return {
      ...{ changeMs, soakMs, backMs: Math.round(expectedMs * model.backFactor) },
      fails: fails ? failure : null,
    };
  });
}

/** Runs the rule itself from this state over drawn durations. The same state, model and seed give the same forecast. */
export function forecast(
  state: FleetState,
  model: DurationModel,
  seed: number,
  { draws, events }: { readonly draws: number; readonly events: readonly FleetEvent[] },
): Forecast {
  const seeds = Array.from({ length: draws }, (_, index) => seed * 7919 + index);
  const limited = seeds.map((each) => drawnRun(state, model, each, events));
  const free = seeds.map((each) => drawnRun(withoutBudget(state), model, each, events));
  const unfinished = Math.max(...limited.map((run) => run.unfinished));
  const stops = unfinished > Math.max(...free.map((run) => run.unfinished));
  return {
    ...lengthsOf(limited.map(({ ms }) => ms)),
    waves: state.waves.map(({ index }) =>
      lengthsOf(limited.flatMap(({ waves }) => waves.slice(index, index + 1))),
    ),
    budgetCost: stops ? null : total(limited) / total(free),
    unfinished,
  };
}

interface DrawnRun {
  readonly ms: number;
  /** Until the last end in each wave. */
  readonly waves: readonly number[];
  readonly unfinished: number;
}

function drawnRun(
  given: FleetState,
  model: DurationModel,
  seed: number,
  events: readonly FleetEvent[],
): DrawnRun {
  const rows = drawBehaviours(given, model, seed);
  const simulation = { rows, outages: [], events, latencyMs: 0, personMs: model.personMs };
  const { state } = simulateFleet(given, simulation);
  const unfinished = state.rows.filter((row) => !hasEnded(row)).length;
  const waves = state.waves.map(({ index }) =>
    state.rows
      .filter(({ wave }) => wave === index)
      .reduce((last, { sinceMs }) => Math.max(last, sinceMs - given.nowMs), 0),
  );
  return { ms: state.nowMs - given.nowMs, unfinished, waves };
}

function lengthsOf(lengths: readonly number[]): ForecastLengths {
  const sorted = [...lengths].sort((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p90Ms: quantile(sorted, 0.9) };
}

function withoutBudget(state: FleetState): FleetState {
  const { policy, rows } = state;
  return {
    ...state,
    policy: { ...policy, budget: { ...policy.budget, clusters: 2 * rows.length + 1 } },
  };
}

/** The smallest length that such a share of the runs does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  const [found = 0] = sorted.slice(Math.ceil(sorted.length * share) - 1);
  return found;
}

function total(runs: readonly DrawnRun[]): number {
  return runs.reduce((sum, { ms }) => sum + ms, 0);
}
