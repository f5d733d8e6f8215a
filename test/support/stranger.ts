import { createDraws } from '../../testbed/simulator/clock/draws.js';
import { Elector } from '../../testbed/simulator/electors/elector.js';
import type { SimulatedCluster } from '../../testbed/simulator/model.js';
import type { LeaseRef } from '../../domain/vocabulary.js';

/** A manager that no control-plane node runs (on a worker, outside the cluster) acquires a Lease and renews it from now on. */
export function plantStranger(
  { store, clock }: SimulatedCluster,
  lock: LeaseRef,
  identity: string,
): void {
  new Elector({
    lock,
    identity,
    timings: { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000 },
    expiryBy: 'own',
    writesBlindly: false,
    client: store,
    draws: createDraws(identity),
    timers: clock,
    onLead: () => undefined,
    onLost: () => undefined,
  }).acquire();
}
