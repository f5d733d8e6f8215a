import { cappedGroups } from './capped-groups.js';
import { BACK } from './fleet-plan.js';
import { isMoving, isUnproven, wasChanged } from './fleet-rows.js';
import { PHASES, type FleetState, type Row, type RowPhase, type Wave } from './fleet-state.js';
import { headroomOf, inFlightLimit, type Headroom } from './headroom.js';
import { awaitedWord } from './awaited-word.js';
import { needsOf } from './fleet-needs.js';
import type { NeedYou } from './need-you.js';
import { nextEvent, type NextEvent } from './next-event.js';
import { othersIn } from './other-runs.js';
import { groupRows, type RowGroup } from './row-groups.js';
import { isFleetOver, waveStanding, type WaveStanding } from './waves.js';

/** Where a fleet is, in one word. */
export type FleetStanding =
  'progressing' | 'held' | 'waiting' | 'paused' | 'frozen' | 'stopping' | 'stopped' | 'done';

export type PhaseCounts = Readonly<Record<RowPhase, number>>;

export interface WaveView {
  readonly name: string;
  readonly clusters: number;
  readonly standing: WaveStanding;
  readonly counts: PhaseCounts;
}

/** What is used of each limit. */
export interface LimitsInUse {
  readonly moving: number;
  /** Of those, how many roll back; they may exceed the limit. */
  readonly turning: number;
  readonly inFlight: number;
  /** Lower than `inFlight` during the slow start. */
  readonly inFlightNow: number;
  readonly unproven: number;
  readonly unprovenLimit: number;
  readonly burnt: number;
  readonly atRisk: number;
  readonly budget: number;
  readonly caps: readonly {
    readonly group: string;
    readonly moving: number;
    /** Runs that are not of this fleet; null where they have not been counted lately. */
    readonly others: number | null;
    readonly cap: number;
  }[];
  /** Open runs of an older version that do not say their labels, so that no cap counts them; 0 without caps. */
  readonly unlabelled: number;
}

/** How many of the clusters that were or may have been changed can go back. */
export interface Reversible {
  readonly can: number;
  /** Blocked by something that can pass. */
  readonly later: readonly string[];
  readonly cannot: readonly string[];
  readonly unknown: number;
}

/** Everything that people and programs see of a fleet, from its state alone. */
export interface FleetView {
  readonly standing: FleetStanding;
  readonly counts: PhaseCounts;
  readonly needs: readonly NeedYou[];
  readonly limits: LimitsInUse;
  readonly waves: readonly WaveView[];
  readonly groups: readonly RowGroup[];
  readonly reversible: Reversible;
  readonly next: NextEvent | null;
}

export function viewFleet(state: FleetState, fleet: string): FleetView {
  const headroom = headroomOf(state);
  const groups = groupRows(state, headroom);
  const needs = needsOf({ fleet, state, headroom, groups });
  return {
    standing: standingOf(state, needs),
    counts: phaseCounts(state.rows),
    needs,
    limits: limitsInUse(state, headroom),
    waves: state.waves.map((wave) => {
      const rows = state.rows.filter((row) => row.wave === wave.index);
      const standing = shownStanding(state, wave);
      return { name: wave.name, clusters: rows.length, standing, counts: phaseCounts(rows) };
    }),
    groups,
    reversible: reversibleOf(state),
    next: nextEvent(state),
  };
}

/** A fleet that is over waits for nothing, in none of its waves. */
export function shownStanding(state: FleetState, wave: Wave): WaveStanding {
  return isFleetOver(state) ? { kind: 'over' } : waveStanding(state, wave);
}

function standingOf(state: FleetState, needs: readonly NeedYou[]): FleetStanding {
  if (isFleetOver(state)) return state.stopped ? 'stopped' : 'done';
  if (state.stopped) return 'stopping';
  const brake = (kind: 'freeze' | 'pause'): boolean =>
    state.brakes.some((each) => each.kind === kind && each.scope.kind === 'fleet');
  if (brake('freeze')) return 'frozen';
  if (brake('pause')) return 'paused';
  if (state.rows.some(goesOn)) return 'progressing';
  return needs.length > 0 ? 'held' : 'waiting';
}

/** What only a person's word ends does not go on, though it may hold a slot. */
function goesOn(row: Row): boolean {
  return (isMoving(row) || row.phase === 'soaking') && awaitedWord(row) === null;
}

function phaseCounts(rows: readonly Row[]): PhaseCounts {
  const counts = new Map<RowPhase, number>();
  for (const { phase } of rows) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  const entries = PHASES.map((phase) => [phase, counts.get(phase) ?? 0] as const);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- one entry for each phase
  return Object.fromEntries(entries) as Record<RowPhase, number>;
}

function limitsInUse(state: FleetState, headroom: Headroom): LimitsInUse {
  const { policy, rows, otherRuns } = state;
  const { moving, unproven, burnt, atRisk, movingIn } = headroom;
  const groups = [...new Set(rows.flatMap((row) => row.groups))];
  return {
    ...{ moving, unproven, burnt, atRisk },
    unlabelled: otherRuns.kind === 'counted' ? otherRuns.unlabelled : 0,
    turning: rows.filter((row) => isMoving(row) && row.target === BACK).length,
    inFlight: policy.inFlight,
    inFlightNow: inFlightLimit(state, headroom),
    unprovenLimit: policy.unproven,
    budget: policy.budget.clusters,
    caps: cappedGroups(policy, { groups }).map(([group, cap]) => ({
      ...{ group, moving: movingIn(group), others: othersIn(state, group), cap },
    })),
  };
}

function reversibleOf({ rows }: FleetState): Reversible {
  const changed = rows.filter(mayBeChanged);
  const named = (...kinds: readonly Row['reversibility'][]): readonly string[] =>
    changed.flatMap(({ name, reversibility }) => (kinds.includes(reversibility) ? [name] : []));
  return {
    can: named('yes', 'notes').length,
    later: named('later'),
    cannot: named('no'),
    unknown: named('unknown').length,
  };
}

function mayBeChanged(row: Row): boolean {
  const { phase } = row;
  if (phase === 'back' || phase === 'skipped') return false;
  return isUnproven(row) || wasChanged(row) || phase === 'failed' || phase === 'stopped';
}
