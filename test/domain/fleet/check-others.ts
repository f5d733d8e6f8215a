import { expect } from '@jest/globals';
import type { FleetState, Row } from '../../../domain/fleet/fleet-state.js';
import { MINUTE } from './given-fleet.js';

/** Nothing starts to change in a group with a cap while others leave no room there, or it is not known whether they do. */
export function checkOthers(
  { otherRuns, nowMs, policy, rows }: FleetState,
  started: readonly number[],
  moving: readonly Row[],
): void {
  const cap = policy.caps['region'];
  if (cap === undefined) return;
  for (const group of started.flatMap((row) => rows[row]?.groups ?? [])) {
    if (otherRuns.kind !== 'counted') throw new Error(`others in ${group} are ${otherRuns.kind}`);
    expect(nowMs - otherRuns.atMs).toBeLessThanOrEqual(3 * MINUTE);
    const inGroup = moving.filter(({ groups }) => groups.includes(group)).length;
    expect(inGroup + (otherRuns.counts[group] ?? 0)).toBeLessThanOrEqual(cap);
  }
}
