import type { LeaseSighting, ObserveInput } from '../contract.js';
import type { ActivityClock, ActivityScope } from '../dependencies.js';
import type { ClusterPorts } from '../ports.js';
import { freshnessOf } from './lease-reading.js';
import { ALL_SLOW_PARTS, UNREAD } from './slow-parts.js';
import type { TakenLook } from './take-look.js';
import { isSettled, sightAgain, takeLook } from './take-look.js';

/** An observation asks for no decision of its own. */
export type SettleInput = Omit<ObserveInput, 'epoch' | 'decide'>;

/** Upper bound of configured lease durations; a Lease silent for longer is settled. */
const LONGEST_WAIT_MS = 120_000;

/**
 * A full observation that waits until every Lease was observed twice: it changed, or stayed unchanged for its whole lease
 * duration. Read only. Cached reads happen once; while waiting only Leases are read; then everything volatile is read once
 * more.
 */
export async function observeSettled(
  ports: ClusterPorts,
  clock: ActivityClock,
  scope: ActivityScope,
  input: SettleInput,
): Promise<TakenLook> {
  const base = { cluster: input.cluster, policy: input.policy, timings: input.timings };
  const options = { timeoutMs: input.timings.requestMs };
  const deadline = clock.nowMs() + LONGEST_WAIT_MS;
  let look = await takeLook(ports, clock, {
    ...base,
    sightings: input.sightings,
    carried: UNREAD,
    refresh: ALL_SLOW_PARTS,
  });
  while (!isSettled(look) && clock.nowMs() < deadline) {
    let { sightings } = look;
    while (!areSettled(look, sightings, clock.nowMs()) && clock.nowMs() < deadline) {
      scope.heartbeat({ progress: 'waiting until every Lease was seen twice' });
      await clock.sleep(2 * input.timings.pollMs, scope.signal);
      sightings = await sightAgain(ports, clock, look, options);
    }
    look = await takeLook(ports, clock, { ...base, sightings, carried: look.slow, refresh: [] });
  }
  return look;
}

function areSettled(
  { leases, observation }: TakenLook,
  sightings: readonly LeaseSighting[],
  nowMs: number,
): boolean {
  return observation.leases.every(({ namespace, name }) => {
    const lease = leases.find((each) => each.namespace === namespace && each.name === name);
    return lease === undefined || freshnessOf(lease, sightings, nowMs).kind !== 'seenOnce';
  });
}
