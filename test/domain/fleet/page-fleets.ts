import { drawBehaviours, type DurationModel } from '../../../domain/fleet/forecast.js';
import type { RolloutPolicy } from '../../../domain/fleet/fleet-plan.js';
import { beginFleet, type FleetState } from '../../../domain/fleet/fleet-state.js';
import { randomStream } from '../../../domain/fleet/random.js';
import type { RowBehaviour } from '../../../domain/fleet/simulated-member.js';
import { MINUTE, plan, POLICY, ROW, WAVE } from './given-fleet.js';

/** The parameters under which the rule was simulated before it was written. */
export const PAGE: RolloutPolicy = {
  ...POLICY,
  inFlight: 50,
  unproven: 500,
  budget: { clusters: 120, counts: 'inFlight' },
  slowStart: 4,
  onFailure: 'rollBack',
};

export const PAGE_MODEL: DurationModel = {
  spread: 0.5,
  slowShare: 0.01,
  slowFactor: 10,
  failShare: 0.03,
  kinds: 6,
  soakMs: 15 * MINUTE,
  backFactor: 1,
  personMs: null,
};

const CHANGE_MS = 89_000;

/** Eight regions, four canaries. */
export function pageFleet(policy: RolloutPolicy, clusters = 1000): FleetState {
  const rows = Array.from({ length: clusters }, (_, index) => ({
    ...ROW,
    name: `eu-${index}`,
    canary: index < 4,
    groups: [`region=r${index % 8}`],
    expectedMs: CHANGE_MS,
  }));
  return beginFleet(plan({ policy, waves: [WAVE], rows }), 0);
}

export interface Drawn {
  readonly state: FleetState;
  readonly rows: readonly RowBehaviour[];
}

/** Draws how the clusters behave; the plan expects so many of the slow ones. */
export function drawn(
  state: FleetState,
  model: DurationModel,
  seed: number,
  knownShare: number,
): Drawn {
  const behaviours = drawBehaviours(state, model, seed);
  const random = randomStream(seed + 1_000_000);
  const rows = state.rows.map((row) => {
    const changeMs = Number(behaviours[row.index]?.changeMs);
    const slow = changeMs > CHANGE_MS * 2;
    return slow && random() < knownShare ? { ...row, expectedMs: changeMs } : row;
  });
  return { state: { ...state, rows }, rows: behaviours };
}
