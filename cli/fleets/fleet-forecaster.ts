import type { Client } from '@temporalio/client';
import type { FleetWaveSettings } from '../../activities/fleet-input.js';
import { settingsOfRun, type FleetRunView } from './fleet-run.js';
import { forecastFleet, type FleetRest } from './forecast-rest.js';

/** Adds to an observation of a fleet when it ends. */
export type FleetForecaster = (run: FleetRunView) => Promise<FleetRunView>;

/** Of the time of a watch so much may go into forecasts. */
const SHARE = 0.1;

/**
 * For one observation, or for all of a watch: then a forecast is shown again until the next one is worth its time. It is made
 * here and never in the fleet's workflow, whose tasks must be short.
 */
export function fleetForecaster(client: Client, clock: () => number = Date.now): FleetForecaster {
  let known: { readonly runId: string; readonly waves: Waves } | null = null;
  let made: { readonly rest: FleetRest | null; readonly nextMs: number } | null = null;
  return async (run) => {
    const { state, execution, runId } = run;
    if (state === null || execution !== 'running') return { ...run, forecast: null };
    if (known?.runId !== runId) known = { runId, waves: await wavesOf(client, run) };
    const beganMs = clock();
    if (made === null || beganMs >= made.nextMs) {
      const rest = forecastFleet(state, known.waves, clock);
      const endedMs = clock();
      made = { rest, nextMs: endedMs + (endedMs - beganMs) / SHARE };
    }
    return { ...run, forecast: made.rest };
  };
}

type Waves = readonly FleetWaveSettings[] | null;

async function wavesOf(client: Client, run: FleetRunView): Promise<Waves> {
  return (await settingsOfRun(client, run))?.waves ?? null;
}
