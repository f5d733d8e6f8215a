import type { FleetParameters } from '../../../../testbed/bench/fleet/drawn-fleet.js';

/** The parameters for which the bars are stated. */
export const STATED: FleetParameters = {
  ...{ clusters: 1000, seed: 4, steps: 12, changeMs: 60_000, soakMs: 60_000 },
  ...{ inFlight: 50, unproven: 100, budget: 120, slowStart: 4 },
  ...{ regionCap: null, brokenRegion: false, startsPerSecond: null },
};

/** A fleet that a test can follow. */
export const SMALL: FleetParameters = { ...STATED, clusters: 40, steps: 3 };
