import type { FleetWave } from '../../config/fleet.js';
import { openingsOf } from '../../config/openings.js';
import type { RolloutPolicy, RowPlan } from '../../domain/fleet/fleet-plan.js';
import type { FleetEvent } from '../../domain/fleet/fleet-events.js';
import { beginFleet } from '../../domain/fleet/fleet-state.js';
import { forecast, type DurationModel, type Forecast } from '../../domain/fleet/forecast.js';

/** What a forecast assumes of clusters that no one knows yet; shown beside it. */
export const ASSUMED = {
  ...{ spread: 0.5, slowShare: 0.01, slowFactor: 10, failShare: 0.03 },
  ...{ kinds: 6, backFactor: 1, personMs: 30 * 60_000 },
} as const satisfies Omit<DurationModel, 'soakMs'>;

export const FORECAST_SEED = 1;
const DAY_MS = 86_400_000;
/** Windows farther away than that change no forecast that anyone plans by. */
const OPENINGS_KNOWN_MS = 90 * DAY_MS;

type Scheduled = Pick<FleetWave, 'windows' | 'excludedDates'> & {
  readonly plan: Pick<FleetWave['plan'], 'scheduled'>;
};

type Planned = Scheduled & {
  readonly plan: FleetWave['plan'];
  readonly settings: { readonly policy: { readonly soakSeconds: number } };
};

/** Runs the rule itself over drawn durations, without waiting for approvals: how long people take is not ours to guess. */
export function forecastPlan(
  rollout: RolloutPolicy,
  waves: readonly Planned[],
  rows: readonly RowPlan[],
  nowMs: number,
  told?: (done: number, of: number) => void,
): Forecast {
  const unasked = { before: 0, after: 0 };
  const plan = {
    ...{ fleetRun: '', requester: '', planDigest: '', revision: 1, policy: rollout, rows },
    waves: waves.map((wave) => ({ ...wave.plan, approvals: unasked })),
  };
  const waveSoakMs = waves.map(({ settings }) => settings.policy.soakSeconds * 1000);
  const model = { ...ASSUMED, soakMs: 0, waveSoakMs };
  const events = openingEvents(waves, nowMs);
  const draws = drawsFor(rows.length);
  return forecast(beginFleet(plan, nowMs), model, FORECAST_SEED, { draws, events, told });
}

/** When waves with windows are open, as the workflow would ask for it. */
export function openingEvents(waves: readonly Scheduled[], nowMs: number): readonly FleetEvent[] {
  return waves.flatMap(({ plan, windows, excludedDates }, wave) => {
    if (!plan.scheduled) return [];
    const openings = openingsOf(windows, excludedDates, nowMs, nowMs + OPENINGS_KNOWN_MS);
    return [{ kind: 'opening', atMs: nowMs, wave, openings }];
  });
}

/** A large fleet averages over its own clusters. Of fewer than three draws the p50 is the p90. */
export function drawsFor(clusters: number): number {
  return Math.max(3, Math.min(25, Math.floor(8000 / Math.max(1, clusters))));
}
