import { awaitsWord } from './awaited-word.js';
import { firstWhere } from './first-where.js';
import { WHOLE_FLEET, type FleetState, type GroupHold, type Row } from './fleet-state.js';
import { isFlying } from './fleet-rows.js';
import { countIn, laneIn, type RowLanes, type RowTally } from './row-index.js';

/** Rows of a group with one cause, those without it, and all rows that have it. */
interface Spread {
  readonly affected: number;
  readonly healthy: number;
  readonly everywhere: number;
}

/** A cause is a group's own when most of the rows that have it are in the group: two of three, so noise hides nothing. */
function explains({ affected, healthy, everywhere }: Spread, { policy }: FleetState): boolean {
  const { failures, sharePercent } = policy.correlated;
  const enough = affected >= failures;
  const share = affected * 100 >= sharePercent * (affected + healthy);
  return enough && share && affected * 3 >= everywhere * 2;
}

export function isIn(row: Row, group: string): boolean {
  return group === WHOLE_FLEET || row.groups.includes(group);
}

const SIZES: RowTally<string> = { name: 'sizes of groups', keysOf: ({ groups }) => groups };

function sizeOf({ rows }: FleetState, group: string): number {
  return group === WHOLE_FLEET ? rows.length : countIn(rows, SIZES, group);
}

/** The smallest group that explains a cause, or null. */
function narrowest(
  state: FleetState,
  affected: readonly Row[],
  spreadIn: (group: string) => Spread,
): string | null {
  const groups = [...new Set([...affected.flatMap((row) => row.groups), WHOLE_FLEET])];
  const found = groups
    .filter((group) => explains(spreadIn(group), state))
    .map((group) => ({ group, size: sizeOf(state, group) }))
    .reduce<{ group: string; size: number } | null>(
      (least, each) => (least === null || each.size < least.size ? each : least),
      null,
    );
  return found === null ? null : found.group;
}

/**
 * After a failure: stops the admission of the narrowest group that explains it. Only rows that passed since the oldest of the
 * group's last failures speak for its health, so that a group which was fine for hours is stopped as fast as a new one.
 */
export function withCorrelation(state: FleetState, failed: Row): FleetState {
  const same = laneIn(state.rows, BURNT, failed.burntBy)
    .filter(isBurnt)
    .filter((row) => !isJudged(state, row));
  const group = narrowest(state, [failed], (each) => failuresIn(state, each, same));
  if (group === null || state.groupHolds.some((hold) => hold.group === group)) return state;
  const hold: GroupHold = { group, signature: failed.burntBy, sinceMs: state.nowMs };
  return { ...state, groupHolds: [...state.groupHolds, hold] };
}

type BurntRow = Row & { readonly burntMs: number };

function isBurnt(row: Row): row is BurntRow {
  return row.burntMs !== null;
}

const byIndex = (a: Row, b: Row): number => a.index - b.index;

/** By what they burnt with. */
const BURNT: RowLanes = {
  name: 'burnt',
  includes: isBurnt,
  laneOf: ({ burntBy }) => burntBy,
  order: byIndex,
};

/** Rows that speak for the health of their groups, the latest last. */
const HEALTHY: RowLanes = {
  name: 'healthy',
  includes: ({ passedMs, burntMs }) => passedMs !== null && burntMs === null,
  laneOf: () => '',
  order: (a, b) => Number(a.passedMs) - Number(b.passedMs) || byIndex(a, b),
};

/** A person who resumed a group of the row has judged its failure for every group. */
function isJudged({ judgedMs }: FleetState, row: BurntRow): boolean {
  return Object.entries(judgedMs).some(
    ([group, untilMs]) => isIn(row, group) && row.burntMs <= untilMs,
  );
}

function failuresIn(state: FleetState, group: string, same: readonly BurntRow[]): Spread {
  const last = same
    .filter((row) => isIn(row, group))
    .map((row) => row.burntMs)
    .sort((a, b) => b - a)
    .slice(0, state.policy.correlated.failures);
  const fromMs = Math.min(...last, state.nowMs);
  const recent = same.filter((row) => row.burntMs >= fromMs);
  const passed = laneIn(state.rows, HEALTHY, '');
  const since = passed.slice(firstWhere(passed, (row) => Number(row.passedMs) >= fromMs));
  return {
    affected: recent.filter((row) => isIn(row, group)).length,
    healthy: since.filter((row) => isIn(row, group)).length,
    everywhere: recent.length,
  };
}

/** Why a group's rows do not start. `stalls` ends by itself. */
export interface HeldGroup {
  readonly signature: string;
  readonly by: 'failures' | 'stalls';
}

/** The groups that are held now: by failures until a person resumes them, by stalls as long as these last. */
export function heldGroups(state: FleetState): ReadonlyMap<string, HeldGroup> {
  const held = new Map<string, HeldGroup>();
  const stalled = laneIn(state.rows, STALLED, '');
  const flying = laneIn(state.rows, FLYING, '');
  for (const signature of new Set(stalled.map((row) => row.signature))) {
    const same = stalled.filter((row) => row.signature === signature);
    const group = narrowest(state, same, (each) => {
      const affected = same.filter((row) => isIn(row, each)).length;
      const all = flying.filter((row) => isIn(row, each)).length;
      return { affected, healthy: all - affected, everywhere: same.length };
    });
    if (group !== null) held.set(group, { signature, by: 'stalls' });
  }
  for (const { group, signature } of state.groupHolds) {
    held.set(group, { signature, by: 'failures' });
  }
  return held;
}

function isStalled(row: Row): boolean {
  if (awaitsWord(row.signature)) return false;
  const parked = row.phase === 'parking' || row.phase === 'parked';
  return row.phase === 'stalled' || (parked && row.heals && !row.ready);
}

const STALLED: RowLanes = {
  name: 'stalled',
  includes: isStalled,
  laneOf: () => '',
  order: byIndex,
};

const FLYING: RowLanes = { name: 'flying', includes: isFlying, laneOf: () => '', order: byIndex };
