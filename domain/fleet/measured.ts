import { FORWARD } from './fleet-plan.js';
import type { FleetState } from './fleet-state.js';

/** How long clusters of a fleet took, each as a share of what its plan expects. */
export interface Measured {
  readonly changes: readonly number[];
  readonly soaks: readonly number[];
}

/** Below this the plan says more than what was measured. */
export const ENOUGH_MEASURED = 5;

/**
 * What a fleet has seen of its clusters: changes that nothing interrupted, and soaks that ended in proof.
 * @param waveSoakMs the soak that each wave plans
 */
export function measuredIn({ rows }: FleetState, waveSoakMs: readonly number[]): Measured {
  const changes: number[] = [];
  const soaks: number[] = [];
  for (const { changeFromMs, passedMs, sinceMs, ...row } of rows) {
    if (changeFromMs === null || passedMs === null || passedMs <= changeFromMs) continue;
    const soakMs = waveSoakMs[row.wave] ?? 0;
    if (row.expectedMs > 0) changes.push((passedMs - changeFromMs) / row.expectedMs);
    const isProven = row.phase === 'proven' && row.target === FORWARD;
    if (isProven && soakMs > 0) soaks.push((sinceMs - passedMs) / soakMs);
  }
  return { changes, soaks };
}
