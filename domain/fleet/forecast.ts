import type { FleetEvent } from './fleet-events.js';
import type { FleetState } from './fleet-state.js';
import { randomStream } from './random.js';
import { hasEnded } from './fleet-rows.js';
import { ENOUGH_MEASURED, type Measured } from './measured.js';
import { simulateFleet, type Simulation } from './simulated-fleet.js';
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
  /** Where enough was measured it decides, instead of spread and slow clusters, and of the soak as planned. */
  readonly measured?: Measured;
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
    const plannedSoakMs = model.waveSoakMs?.[wave] ?? model.soakMs;
    const spread = 1 + model.spread * (2 * random() - 1);
    const slow = random() < model.slowShare ? model.slowFactor : 1;
    const { changes = [], soaks = [] } = model.measured ?? {};
    const changeMs = Math.round(expectedMs * (oneOf(changes, random) ?? spread * slow));
    const soakMs = Math.round(plannedSoakMs * (oneOf(soaks, random) ?? 1));
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

/** One of enough; undefined of too few, for which no number is drawn. */
function oneOf(measured: readonly number[], random: () => number): number | undefined {
  const isEnough = measured.length >= ENOUGH_MEASURED;
  return isEnough ? measured[Math.floor(random() * measured.length)] : undefined;
}

/** Runs the rule itself from this state over drawn durations. The same state, model and seed give the same forecast. */
export function forecast(
  state: FleetState,
  model: DurationModel,
  seed: number,
  { draws, events, told }: Draws,
): Forecast {
  const [limited, free]: [DrawnRun[], DrawnRun[]] = [[], []];
  const unlimited = withoutBudget(state);
  seedsOf(seed, draws).forEach((each, index) => {
    limited.push(drawnRun(state, model, each, { events }));
    free.push(drawnRun(unlimited, model, each, { events }));
    told?.(index + 1, draws);
  });
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

/** When a running fleet ends, from its last event on. */
export interface Rest extends ForecastLengths {
  /** Most clusters that one of the drawn runs left unfinished. */
  readonly unfinished: number;
  readonly draws: number;
}

/** Fewer drawn runs say nothing about how much they differ. */
const FEWEST_DRAWS = 3;

/** As `forecast`, as long as there is time for it and without the cost of the budget; null where it was too little. */
export function forecastRest(
  state: FleetState,
  model: DurationModel,
  seed: number,
  { draws, events, isCut }: Omit<Draws, 'told'> & { readonly isCut: () => boolean },
): Rest | null {
  const runs: DrawnRun[] = [];
  for (const each of seedsOf(seed, draws)) {
    const run = drawnRun(state, model, each, { events, isCut });
    if (!run.isWhole) break;
    runs.push(run);
  }
  if (runs.length < Math.min(draws, FEWEST_DRAWS)) return null;
  const unfinished = Math.max(...runs.map((run) => run.unfinished));
  return { ...lengthsOf(runs.map(({ ms }) => ms)), unfinished, draws: runs.length };
}

interface Draws {
  readonly draws: number;
  readonly events: readonly FleetEvent[];
  /** Told how many draws are done. */
  readonly told?: ((done: number, of: number) => void) | undefined;
}

function seedsOf(seed: number, draws: number): readonly number[] {
  return Array.from({ length: draws }, (_, index) => seed * 7919 + index);
}

interface DrawnRun {
  readonly ms: number;
  /** Until the last end in each wave. */
  readonly waves: readonly number[];
  readonly unfinished: number;
  readonly isWhole: boolean;
}

function drawnRun(
  given: FleetState,
  model: DurationModel,
  seed: number,
  outside: Pick<Simulation, 'events' | 'isCut'>,
): DrawnRun {
  const rows = drawBehaviours(given, model, seed);
  const { personMs } = model;
  const simulation = { rows, outages: [], latencyMs: 0, personMs, ...outside };
  const { state, isWhole } = simulateFleet(given, simulation);
  const unfinished = state.rows.filter((row) => !hasEnded(row)).length;
  const waves = state.waves.map(({ index }) =>
    state.rows
      .filter(({ wave }) => wave === index)
      .reduce((last, { sinceMs }) => Math.max(last, sinceMs - given.nowMs), 0),
  );
  // Not the last event: windows and deadlines come when all clusters have ended.
  return { ms: Math.max(0, ...waves), unfinished, waves, isWhole };
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
