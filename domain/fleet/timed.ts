import { firstWhere } from './first-where.js';
import type { FleetTransition } from './fleet-events.js';
import type { FleetState, Row } from './fleet-state.js';
import { changeEach, parkRow } from './fleet-rows.js';
import { laneIn, lanesOf, type RowLanes } from './row-index.js';
import { waveEndMs } from './waves.js';

/** When a stall has kept its slot long enough, or a soak has lasted too long for its wave; null for other rows. */
export function parksAtMs({ policy, waves }: FleetState, row: Row): number | null {
  if (row.phase === 'stalled') return row.sinceMs + policy.stalledForMs;
  if (row.phase !== 'soaking' || row.rollbackQueued) return null;
  const limit = waves[row.wave]?.soakLimitMs ?? null;
  return limit === null ? null : row.sinceMs + limit;
}

const bySince = (a: Row, b: Row): number => a.sinceMs - b.sinceMs || a.index - b.index;

/** Rows that are parked so long after they came into their phase: in each lane equally long. */
const LIMITED: RowLanes = {
  name: 'limited in time',
  includes: ({ phase, rollbackQueued }) =>
    phase === 'stalled' || (phase === 'soaking' && !rollbackQueued),
  laneOf: ({ phase, wave }) => (phase === 'stalled' ? phase : `${wave}`),
  order: bySince,
};

/** Rows that do not start before a time. */
const DEFERRED: RowLanes = {
  name: 'deferred',
  includes: ({ phase, rollbackQueued, notBeforeMs }) =>
    notBeforeMs > 0 && (phase === 'waiting' || rollbackQueued),
  laneOf: () => '',
  order: (a, b) => a.notBeforeMs - b.notBeforeMs || a.index - b.index,
};

/** Where a lane is not overdue any more. */
function firstInTime(state: FleetState, lane: readonly Row[]): number {
  return firstWhere(lane, (row) => (parksAtMs(state, row) ?? Infinity) > state.nowMs);
}

/** Takes slots back from stalls, and hands soaks that do not end to a person. Neither burns. */
export function parkOverdue(state: FleetState): FleetTransition {
  const lanes = [...lanesOf(state.rows, LIMITED).values()];
  const overdue = lanes
    .flatMap((lane) => lane.slice(0, firstInTime(state, lane)))
    .sort((a, b) => a.index - b.index);
  return changeEach(overdue, state, (current, row) =>
    row.phase === 'soaking'
      ? parkRow(current, row, { phase: 'parked', heals: false, cause: 'soakLimit' })
      : parkRow(current, row, {}),
  );
}

/** When the fleet must be asked again if no event comes before; null for never. */
export function nextTickMs(state: FleetState): number | null {
  const { policy, rows, waves, nowMs, pendingLimits } = state;
  let nextMs: number | null = null;
  const consider = (atMs: number | null): void => {
    if (atMs !== null && atMs > nowMs && (nextMs === null || atMs < nextMs)) nextMs = atMs;
  };
  for (const lane of lanesOf(rows, LIMITED).values()) {
    const from = firstInTime(state, lane);
    for (const row of lane.slice(from, from + 1)) consider(parksAtMs(state, row));
  }
  const deferred = laneIn(rows, DEFERRED, '');
  const from = firstWhere(deferred, ({ notBeforeMs }) => notBeforeMs > nowMs);
  for (const { notBeforeMs } of deferred.slice(from, from + 1)) consider(notBeforeMs);
  for (const wave of waves) {
    consider(wave.over ? null : waveEndMs(wave));
    for (const { opensAtMs } of wave.openings) consider(opensAtMs);
  }
  consider(policy.startAtMs);
  consider(policy.deadlineMs);
  consider(pendingLimits === null ? null : pendingLimits.atMs + policy.approvalExpiryMs);
  return nextMs;
}
