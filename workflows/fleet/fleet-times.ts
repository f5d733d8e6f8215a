import type { FleetMigrationInput } from '../../activities/fleet-input.js';
import { othersMatter } from '../../domain/fleet/others-matter.js';
import { longestSilentSince, silentSince } from '../../domain/fleet/silent-rows.js';
import type { LiveFleet } from './live-fleet.js';

const SWEEP_AFTER_MS = 5 * 60_000;

function sweepAfterMs({ sweepAfterMs: given = SWEEP_AFTER_MS }: FleetMigrationInput): number {
  return given;
}

/** When rows must be described because they have been silent; null when no run is open. */
export function sweepDueMs(
  input: FleetMigrationInput,
  { state, sweptAtMs }: LiveFleet,
): number | null {
  const oldestMs = longestSilentSince(state.rows);
  return oldestMs === null ? null : Math.max(sweptAtMs, oldestMs) + sweepAfterMs(input);
}

/** When a fleet that nothing wakes looks again: only a workflow task tells it that another build has become current. */
export function wakeDueMs(input: FleetMigrationInput): number {
  return Date.now() + sweepAfterMs(input);
}

/** Rows of open runs whose last news is so old that the run may be gone. */
export function silentRows(
  input: FleetMigrationInput,
  { state }: LiveFleet,
  nowMs: number,
): readonly number[] {
  return silentSince(state.rows, nowMs - sweepAfterMs(input));
}

/** Openings are asked for so far ahead, and again when half of it is left. */
export const OPENINGS_AHEAD_MS = 14 * 24 * 3600 * 1000;

/** When openings must be asked for; null when no wave needs them. */
export function openingsDueMs({ state, openUntilMs }: LiveFleet): number | null {
  const needed = state.waves.some(({ scheduled, over }) => scheduled && !over);
  return needed ? openUntilMs - OPENINGS_AHEAD_MS / 2 : null;
}

const OTHERS_AFTER_MS = 30_000;
/** Each count is ten events: while others stay as they are, they are counted less often, at this many times the interval. */
const AT_MOST_TIMES = 4;

/** When it must be counted what others change; null as long as that decides nothing. */
export function othersDueMs(
  { othersAfterMs = OTHERS_AFTER_MS }: FleetMigrationInput,
  { state }: LiveFleet,
): number | null {
  const { otherRuns } = state;
  if (!othersMatter(state)) return null;
  if (otherRuns.kind !== 'counted') return 0;
  const { atMs, sinceMs } = otherRuns;
  const unchangedMs = (atMs - sinceMs) / AT_MOST_TIMES;
  return atMs + Math.min(AT_MOST_TIMES * othersAfterMs, Math.max(othersAfterMs, unchangedMs));
}
