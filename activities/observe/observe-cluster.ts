import type { ObserveInput } from '../contract.js';
import type { ActivityClock, ActivityScope } from '../dependencies.js';
import type { ClusterPorts } from '../ports.js';
import { ALL_SLOW_PARTS, UNREAD } from './slow-parts.js';
import type { TakenLook } from './take-look.js';
import { isSettled, takeLook } from './take-look.js';

/** Longest client-go lease that anybody sets; a Lease silent for longer is settled by then. */
const LONGEST_WAIT_MS = 120_000;

/**
 * A full look that waits until every Lease was seen twice: it changed, or it did not for its whole lease time.
 * Read only. Slow parts are read once, the quick ones at each poll.
 */
export async function observeSettled(
  ports: ClusterPorts,
  clock: ActivityClock,
  scope: ActivityScope,
  input: ObserveInput,
): Promise<TakenLook> {
  const deadline = clock.nowMs() + LONGEST_WAIT_MS;
  const base = { cluster: input.cluster, policy: input.policy, timings: input.timings };
  let look = await takeLook(ports, clock, {
    ...base,
    sightings: input.sightings,
    carried: UNREAD,
    refresh: ALL_SLOW_PARTS,
  });
  while (!isSettled(look) && clock.nowMs() < deadline) {
    scope.heartbeat({ progress: 'waiting until every Lease was seen twice' });
    await clock.sleep(input.timings.pollMs, scope.signal);
    look = await takeLook(ports, clock, {
      ...base,
      sightings: look.sightings,
      carried: look.slow,
      refresh: [],
    });
  }
  return look;
}
