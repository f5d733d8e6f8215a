import type { Row } from './fleet-state.js';
import { isUnproven } from './fleet-rows.js';
import { laneIn, type RowLanes } from './row-index.js';

const OPEN_RUNS: RowLanes = {
  name: 'open runs by their last news',
  includes: isUnproven,
  laneOf: () => '',
  order: (a, b) => a.sinceMs - b.sinceMs || a.index - b.index,
};

/** When the run that has been silent for longest had its last news; null when no run is open. Reads no row again that has not changed. */
export function longestSilentSince(rows: readonly Row[]): number | null {
  for (const { sinceMs } of laneIn(rows, OPEN_RUNS, '')) return sinceMs;
  return null;
}

/** Rows of open runs without news since then, the longest silent ones first. */
export function silentSince(rows: readonly Row[], atMs: number): readonly number[] {
  return laneIn(rows, OPEN_RUNS, '').flatMap(({ index, sinceMs }) =>
    sinceMs <= atMs ? [index] : [],
  );
}
