import { heldGroups, type HeldGroup } from './correlation.js';
import type { FleetState, Opening, Row } from './fleet-state.js';
import { isMoving, isUnproven } from './fleet-rows.js';
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
  /** Moving clusters of each group, those of other fleets included. */
  readonly movingIn: ReadonlyMap<string, number>;
  readonly held: ReadonlyMap<string, HeldGroup>;
  readonly waves: readonly WaveGate[];
}

export function headroomOf(state: FleetState): Headroom {
  const { rows, waves, otherRuns } = state;
  const counts = { moving: 0, unproven: 0, burnt: 0, atRisk: 0, passed: 0 };
  const movingIn = new Map(Object.entries(otherRuns));
  for (const row of rows) {
    if (isMoving(row)) countIn(movingIn, row);
    counts.moving += Number(isMoving(row));
    counts.unproven += Number(isUnproven(row));
    counts.burnt += Number(row.burntMs !== null);
    counts.atRisk += Number(isAtRisk(state, row));
    counts.passed += Number(row.passedMs !== null);
  }
  return {
    ...counts,
    movingIn,
    held: heldGroups(state),
    waves: waves.map((wave) => ({
      standing: waveStanding(state, wave),
      canariesPassed: wave.opened || canariesPassed(state, wave),
      scheduled: wave.scheduled,
      openings: wave.openings,
    })),
  };
}

/** The gate of a wave that the plan does not have stays closed. */
export function gateOf({ waves }: Headroom, row: Row): WaveGate {
  return waves[row.wave] ?? { ...CLOSED, standing: { kind: 'order', wave: row.wave } };
}

const CLOSED = { canariesPassed: false, scheduled: true, openings: [] };

function countIn(movingIn: Map<string, number>, { groups }: Row): void {
  for (const group of groups) movingIn.set(group, (movingIn.get(group) ?? 0) + 1);
}

function isAtRisk({ policy }: FleetState, row: Row): boolean {
  const reserved = isMoving(row) || row.phase === 'parked';
  const soaks = policy.budget.counts === 'untilProven' && row.phase === 'soaking';
  return row.burntMs === null && (reserved || soaks);
}

/** The same after a row took a slot: only what admission adds is counted again. */
export function afterAdmission(headroom: Headroom, before: Row, state: FleetState): Headroom {
  const movingIn = new Map(headroom.movingIn);
  countIn(movingIn, before);
  return {
    ...headroom,
    movingIn,
    moving: headroom.moving + 1,
    unproven: headroom.unproven + (isUnproven(before) ? 0 : 1),
    atRisk: headroom.atRisk + (before.burntMs !== null || isAtRisk(state, before) ? 0 : 1),
  };
}

/** How many clusters may start to change now: the in-flight limit, once the slow start has reached it. */
export function inFlightLimit({ policy }: FleetState, { passed }: Headroom): number {
  return Math.min(policy.inFlight, policy.slowStart + passed);
}

export function isRamping({ policy }: FleetState, { passed }: Headroom): boolean {
  return policy.slowStart + passed < policy.inFlight;
}
