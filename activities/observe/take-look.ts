import type { MigrationPolicy } from '../../domain/policy.js';
import type { ClusterRef, LeaseSighting, Look, RunTimings } from '../contract.js';
import type { ActivityClock } from '../dependencies.js';
import type { FenceRecord } from '../fence/fence-record.js';
import type { CallOptions, ClusterPorts } from '../ports.js';
import { assembleLook, namedLeases } from './assemble.js';
import type { LeaseReading } from './lease-reading.js';
import { readFurtherLeases, readQuick } from './read-quick.js';
import { readSlowParts } from './read-slow-parts.js';
import type { SlowPart, SlowParts } from './slow-parts.js';

export interface LookRequest {
  readonly cluster: ClusterRef;
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
  readonly sightings: readonly LeaseSighting[];
  /** Slow parts of an earlier look, and which of them to read anew. */
  readonly carried: SlowParts;
  readonly refresh: readonly SlowPart[];
}

/** A look with what only the worker keeps of it. */
export interface TakenLook extends Look {
  readonly slow: SlowParts;
  readonly fence: FenceRecord | null;
  readonly leases: readonly LeaseReading[];
  readonly serverTimeMs: number;
}

/** Looks once. Three API requests when nothing slow is refreshed; see `read-quick.ts` for their order. */
export async function takeLook(
  ports: ClusterPorts,
  clock: ActivityClock,
  request: LookRequest,
): Promise<TakenLook> {
  const { cluster, policy, timings, sightings, carried, refresh } = request;
  const options: CallOptions = { timeoutMs: timings.requestMs };
  const slow = await readSlowParts(ports, { policy, carried, refresh }, options);
  const { quick, controlPlanePods, fence } = await readQuick(ports, clock, options);
  const readings = { cluster, policy, quick, controlPlanePods, slow, sightings };
  const first = assembleLook(readings);
  const elsewhere = foreignNamespaces(first, readings);
  if (elsewhere.length === 0) {
    return { ...first, slow, fence, leases: quick.leases, serverTimeMs: quick.serverTimeMs };
  }
  const leases = [...quick.leases, ...(await readFurtherLeases(ports, elsewhere, options))];
  const whole = assembleLook({ ...readings, quick: { ...quick, leases } });
  return { ...whole, slow, fence, leases, serverTimeMs: quick.serverTimeMs };
}

/** Namespaces besides kube-system in which a configuration has a lock: two unrelated locks are a split brain. */
function foreignNamespaces(
  { observation }: Look,
  readings: Parameters<typeof namedLeases>[1],
): readonly string[] {
  const namespaces = namedLeases(observation.nodes, readings).map(({ namespace }) => namespace);
  return [...new Set(namespaces)].filter((namespace) => namespace !== 'kube-system');
}

/** Whether every Lease was seen to change, or is proven silent, or is held by nobody. */
export function isSettled({ observation }: Look): boolean {
  return observation.leases.every(({ freshness }) => freshness.kind !== 'seenOnce');
}
