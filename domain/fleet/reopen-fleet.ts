import type { FleetState } from './fleet-state.js';
import { UNKNOWN } from './other-runs.js';

/**
 * A fleet that has ended, as the run that rolls back what it moved begins. What its clusters are stays; what people ordered while it
 * ran is over: a pause left behind would delay the rollback, and no cluster that was left out gets another try. Reports to the
 * former run no longer count.
 */
export function reopenFleet(state: FleetState, fleetRun: string, nowMs: number): FleetState {
  return {
    ...state,
    ...{ fleetRun, formerRun: state.fleetRun, nowMs, stopped: false, lastPassBegun: true },
    ...{ brakes: [], groupHolds: [], pendingLimits: null, answers: {}, otherRuns: UNKNOWN },
  };
}
