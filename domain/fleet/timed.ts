import type { FleetTransition } from './fleet-events.js';
import type { FleetState, Row } from './fleet-state.js';
import { changeEach, parkRow } from './fleet-rows.js';
import { waveEndMs } from './waves.js';

/** When a stall has kept its slot long enough, or a soak has lasted too long for its wave; null for other rows. */
export function parksAtMs({ policy, waves }: FleetState, row: Row): number | null {
  if (row.phase === 'stalled') return row.sinceMs + policy.stalledForMs;
  if (row.phase !== 'soaking' || row.rollbackQueued) return null;
  const limit = waves[row.wave]?.soakLimitMs ?? null;
  return limit === null ? null : row.sinceMs + limit;
}

/** Takes slots back from stalls, and hands soaks that do not end to a person. Neither burns. */
export function parkOverdue(state: FleetState): FleetTransition {
  const overdue = state.rows.filter((row) => {
    const atMs = parksAtMs(state, row);
    return atMs !== null && state.nowMs >= atMs;
  });
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
  for (const row of rows) {
    consider(parksAtMs(state, row));
    if (row.phase === 'waiting' || row.rollbackQueued) consider(row.notBeforeMs);
  }
  for (const wave of waves) {
    consider(wave.over ? null : waveEndMs(wave));
    for (const { opensAtMs } of wave.openings) consider(opensAtMs);
  }
  consider(policy.startAtMs);
  consider(policy.deadlineMs);
  consider(pendingLimits === null ? null : pendingLimits.atMs + policy.approvalExpiryMs);
  return nextMs;
}
