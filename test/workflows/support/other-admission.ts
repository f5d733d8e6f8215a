import { admit as usual } from '../../../domain/fleet/admit-rows.js';
import type { FleetTransition } from '../../../domain/fleet/fleet-events.js';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';

/** The rule of another build: clusters go in the opposite order, and one at a time. */
export function admit(state: FleetState): FleetTransition {
  const { rows, policy } = state;
  const asked = {
    ...state,
    policy: { ...policy, inFlight: 1 },
    rows: rows.map((row) => ({ ...row, expectedMs: 1 + row.index })),
  };
  const { state: next, actions } = usual(asked);
  const restored = next.rows.map((row) => ({
    ...row,
    expectedMs: rows[row.index]?.expectedMs ?? row.expectedMs,
  }));
  return { state: { ...next, policy, rows: restored }, actions };
}
