import { heldGroups, type HeldGroup } from './correlation.js';
import type { FleetState, Opening, Row } from './fleet-state.js';
import { isFlying, isMoving, isUnproven } from './fleet-rows.js';
import { countIn, type RowTally } from './row-index.js';
import { canariesPassed, waveStanding, type WaveStanding } from './waves.js';

export interface WaveGate {
  readonly standing: WaveStanding;
  readonly canariesPassed: boolean;
  readonly scheduled: boolean;
  readonly openings: readonly Opening[];
}

/** What admission compares with the limits. It is counted once for each event, and again after each admission. */
export interface Headroom {
  readonly moving: number;
  readonly unproven: number;
  readonly burnt: number;
  /** Clusters that may still burn on a reservation that they hold. */
  readonly atRisk: number;
  readonly passed: number;
  /** Moving clusters of each group. */
  readonly movingIn: (group: string) => number;
  readonly held: ReadonlyMap<string, HeldGroup>;
  readonly waves: readonly WaveGate[];
}

export function headroomOf(state: FleetState): Headroom {
  return {
    ...countsOf(state),
    held: heldGroups(state),
    waves: state.waves.map((wave) => ({
      standing: waveStanding(state, wave),
      canariesPassed: wave.opened || canariesPassed(state, wave),
      scheduled: wave.scheduled,
      openings: wave.openings,
    })),
  };
}

function countsOf({ rows, policy }: FleetState): Omit<Headroom, 'held' | 'waves'> {
  const count = (key: Standing): number => countIn(rows, STANDINGS, key);
  const soaksAtRisk = policy.budget.counts === 'untilProven' ? count('soakingUnburnt') : 0;
  return {
    moving: count('moving'),
    unproven: count('unproven'),
    burnt: count('burnt'),
    atRisk: count('reserved') + soaksAtRisk,
    passed: count('passed'),
    movingIn: (group) => countIn(rows, MOVING_IN_GROUPS, group),
  };
}

type Standing = 'moving' | 'unproven' | 'burnt' | 'passed' | 'reserved' | 'soakingUnburnt';

const STANDINGS: RowTally<Standing> = {
  name: 'standings',
  keysOf: (row) => {
    const keys: Standing[] = [];
    const isBurnt = row.burntMs !== null;
    if (isMoving(row)) keys.push('moving');
    if (isUnproven(row)) keys.push('unproven');
    if (isBurnt) keys.push('burnt');
    if (row.passedMs !== null) keys.push('passed');
    if (!isBurnt && isFlying(row)) keys.push('reserved');
    if (!isBurnt && row.phase === 'soaking') keys.push('soakingUnburnt');
    return keys;
  },
};

const MOVING_IN_GROUPS: RowTally<string> = {
  name: 'moving in groups',
  keysOf: (row) => (isMoving(row) ? row.groups : []),
};

/** The gate of a wave that the plan does not have stays closed. */
export function gateOf({ waves }: Headroom, row: Row): WaveGate {
  return waves[row.wave] ?? { ...CLOSED, standing: { kind: 'order', wave: row.wave } };
}

const CLOSED = { canariesPassed: false, scheduled: true, openings: [] };

/** The same after a row took a slot: whatever is held or open at an event stays so until all its slots are given. */
export function afterAdmission(headroom: Headroom, state: FleetState): Headroom {
  return { ...headroom, ...countsOf(state) };
}

/** How many clusters may start to change now: the in-flight limit, once the slow start has reached it. */
export function inFlightLimit({ policy }: FleetState, { passed }: Headroom): number {
  return Math.min(policy.inFlight, policy.slowStart + passed);
}

export function isRamping({ policy }: FleetState, { passed }: Headroom): boolean {
  return policy.slowStart + passed < policy.inFlight;
}
