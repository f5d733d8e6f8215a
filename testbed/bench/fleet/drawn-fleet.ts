import { beginFleet, type FleetState } from '../../../domain/fleet/fleet-state.js';
import { drawBehaviours, type DurationModel } from '../../../domain/fleet/forecast.js';
import type { FleetPlan, RolloutPolicy, RowPlan } from '../../../domain/fleet/fleet-plan.js';
import { simulateFleet, type SimulatedEnd } from '../../../domain/fleet/simulated-fleet.js';
import type { RowBehaviour } from '../../../domain/fleet/simulated-member.js';

/** What decides a fleet of the benchmark. The same parameters give the same fleet in every process. */
export interface FleetParameters {
  readonly clusters: number;
  readonly seed: number;
  /** Steps of one direction. */
  readonly steps: number;
  /** Mean time of a change; a cluster takes between half and one and a half of it. */
  readonly changeMs: number;
  readonly soakMs: number;
  /** W, E and F of the rule. */
  readonly inFlight: number;
  readonly unproven: number;
  readonly budget: number;
  readonly slowStart: number;
  /** For each region, how many of its clusters change at the same time; null for no such cap. */
  readonly regionCap: number | null;
  /** Clusters of the first region fail, all for the same cause. */
  readonly brokenRegion: boolean;
  /** So many runs get past their first check in a second, for what a machine can carry; null for all at once. */
  readonly startsPerSecond: number | null;
}

export interface DrawnFleet {
  readonly plan: Omit<FleetPlan, 'fleetRun'>;
  /** What each cluster does, in the order of the plan's rows. `backMs` includes the soak that ends a rollback. */
  readonly behaviours: readonly RowBehaviour[];
}

const REGIONS = 8;
const CANARIES = 4;

/** So many times as long as the others take a few clusters; the plan knows which. */
const SLOW_FACTOR = 10;

const MODEL: Omit<DurationModel, 'soakMs'> = {
  spread: 0.5,
  slowShare: 0.01,
  slowFactor: SLOW_FACTOR,
  failShare: 0.03,
  kinds: 6,
  backFactor: 1,
  personMs: null,
};

/** Draws a fleet: how long each cluster takes, and which ones fail. */
export function drawFleet(parameters: FleetParameters): DrawnFleet {
  const { clusters, seed, changeMs, soakMs } = parameters;
  const rows = Array.from({ length: clusters }, (_, index) => rowPlan(index, parameters));
  const usual = planOf(rows, parameters);
  const drawn = drawBehaviours(stateOf(usual), { ...MODEL, soakMs }, seed);
  const behaviours = drawn.map((each, index) => {
    const fails = isBroken(index, parameters) ? brokenAfter(each.changeMs) : each.fails;
    return { ...each, fails, backMs: each.backMs + soakMs };
  });
  const known = usual.rows.map((row, index) => {
    const takesMs = Number(behaviours[index]?.changeMs);
    return takesMs > 2 * changeMs ? { ...row, expectedMs: takesMs } : row;
  });
  return { plan: { ...usual, rows: known }, behaviours };
}

/** The rule alone on the same fleet, where no message takes any time. */
export function ruleAlone({ plan, behaviours }: DrawnFleet): SimulatedEnd {
  const outside = { outages: [], events: [], latencyMs: 0, personMs: null };
  return simulateFleet(stateOf(plan), { ...outside, rows: behaviours });
}

export function regionOf(index: number): string {
  return `region=r${index % REGIONS}`;
}

function stateOf(plan: DrawnFleet['plan']): FleetState {
  return beginFleet({ ...plan, fleetRun: 'rule alone' }, 0);
}

function rowPlan(index: number, { clusters, changeMs }: FleetParameters): RowPlan {
  return {
    name: `c-${String(index).padStart(String(clusters - 1).length, '0')}`,
    wave: 0,
    canary: index < Math.min(CANARIES, Math.ceil(clusters / 10)),
    groups: [regionOf(index)],
    expectedMs: changeMs,
  };
}

function isBroken(index: number, { brokenRegion }: FleetParameters): boolean {
  return brokenRegion && regionOf(index) === regionOf(0);
}

function brokenAfter(changeMs: number): RowBehaviour['fails'] {
  return { afterMs: Math.round(changeMs / 2), signature: 'kind 0' };
}

function planOf(rows: readonly RowPlan[], parameters: FleetParameters): DrawnFleet['plan'] {
  return {
    requester: 'bench',
    planDigest: 'sha256:bench',
    revision: 1,
    policy: policyOf(parameters),
    waves: [
      {
        name: 'all',
        done: null,
        soakLimitMs: null,
        rehearseRollback: false,
        approvals: { before: 0, after: 0 },
        approvers: null,
        scheduled: false,
      },
    ],
    rows,
  };
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function policyOf(parameters: FleetParameters): RolloutPolicy {
  const { inFlight, unproven, budget, slowStart, regionCap } = parameters;
  return {
    ...{ inFlight, unproven, slowStart },
    caps: regionCap === null ? {} : { region: regionCap },
    budget: { clusters: budget, counts: 'inFlight' },
    correlated: { failures: 3, sharePercent: 25 },
    stalledForMs: 10 * MINUTE_MS,
    onFailure: 'rollBack',
    unreachable: 'wait',
    busy: 'wait',
    drifted: 'fail',
    retryAfterMs: MINUTE_MS,
    approvalExpiryMs: DAY_MS,
    startAtMs: null,
    deadlineMs: null,
  };
}
