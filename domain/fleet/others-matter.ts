import { startQueue } from './admit-rows.js';
import { cappedGroups } from './capped-groups.js';
import { laneWide, queueLanes } from './queue-lanes.js';
import type { FleetState, Row } from './fleet-state.js';
import { headroomOf, type Headroom } from './headroom.js';
import { lanesOf } from './row-index.js';
import { startObstacle, type WaitReason } from './wait-reasons.js';

/** Waits that only other runs, or the moving clusters of this fleet, end. */
const ENDED_BY_RUNS: readonly WaitReason['kind'][] = ['others', 'cap', 'inFlight'];

/**
 * Whether it matters by now what others change: a cluster in a capped group could start if there were room. A fleet that waits for
 * people, windows or soaks asks nothing meanwhile.
 */
export function othersMatter(state: FleetState): boolean {
  if (Object.keys(state.policy.caps).length === 0) return false;
  const headroom = headroomOf(state);
  const lanes = lanesOf(state.rows, queueLanes(state.policy, startQueue(state, headroom)));
  return [...lanes.values()].some((lane) => isWaitingIn(lane, state, headroom));
}

function isWaitingIn(lane: readonly Row[], state: FleetState, headroom: Headroom): boolean {
  const waits = (row: Row): boolean => {
    const obstacle = startObstacle(state, headroom, row);
    return obstacle !== null && ENDED_BY_RUNS.includes(obstacle.kind);
  };
  // All rows of a lane are in the same capped groups, so that its first speaks for them.
  const mayWait = lane
    .slice(0, 1)
    .some(
      (first) =>
        cappedGroups(state.policy, first).length > 0 && waits(laneWide(state.policy, first)),
    );
  return mayWait && lane.some(waits);
}
