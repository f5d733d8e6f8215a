import type { MigrationPolicy } from '../../domain/policy.js';
import type { ClusterRef, LeaseSighting, Look, ObserveInput, RunTimings } from '../contract.js';
import type { ActivityClock, ActivityScope } from '../dependencies.js';
import type { FenceRecord } from '../fence/fence-record.js';
import type { LeaseReading } from '../lease-reading.js';
import { freshnessOf, hostnameOf, readLease, sightLeases } from '../lease-reading.js';
import type { CallOptions, ClusterPorts } from '../ports.js';
import { assembleLook, namedLeases } from './assemble.js';
import type { NodeObject, PodObject } from './objects.js';
import type { QuickAnswer } from './read-quick.js';
import { listLeases, readFurtherLeases, readQuick } from './read-quick.js';
import { readSlowParts } from './read-slow-parts.js';
import type { SlowPart, SlowParts } from './slow-parts.js';
import { ALL_SLOW_PARTS, UNREAD } from './slow-parts.js';

export interface LookRequest {
  readonly cluster: ClusterRef;
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
  readonly sightings: readonly LeaseSighting[];
  /** Cached reads of an earlier observation, and which of them to refresh. */
  readonly carried: SlowParts;
  readonly refresh: readonly SlowPart[];
  /**
   * Pods of an earlier observation: they are never proof of anything, so an observation before a write needs no new
   * list.
   */
  readonly carriedPods?: readonly PodObject[] | undefined;
  /** Nodes of the first observation of the same step, for a step that changes none. */
  readonly carriedNodes?: readonly NodeObject[] | undefined;
  /** Attempts when something changed during the observation. */
  readonly tries?: number;
}

/** An observation with the parts that only the worker keeps. */
export interface TakenLook extends Look {
  readonly slow: SlowParts;
  readonly quick: QuickAnswer;
  readonly fence: FenceRecord | null;
  readonly leases: readonly LeaseReading[];
  readonly serverTimeMs: number;
}

const TRIES = 4;

/**
 * Observes everything volatile. Hosts are read before Leases, so a process that starts or wins an election in between appears
 * as an unknown holder: then this observes again, because only a lasting mismatch is really unknown.
 */
export async function takeLook(
  ports: ClusterPorts,
  clock: ActivityClock,
  request: LookRequest,
): Promise<TakenLook> {
  const { tries = TRIES, timings } = request;
  let look = await lookOnce(ports, clock, request);
  for (let count = 1; count < tries && isBlurred(look); count += 1) {
    await clock.sleep(timings.pollMs);
    const { sightings, slow } = look;
    look = await lookOnce(ports, clock, { ...request, sightings, carried: slow, refresh: [] });
  }
  return look;
}

/** Something on a host that answers contradicts a Lease or a manifest. */
function isBlurred({ observation: { nodes, leases } }: TakenLook): boolean {
  const hosts = nodes.filter(({ reachable }) => reachable);
  return (
    leases.some(
      ({ holder, holderState }) =>
        holderState === 'unknown' && hosts.some(({ hostname }) => hostname === hostnameOf(holder)),
    ) ||
    hosts.some(({ kcm, ccm }) => [kcm, ccm].some(({ manifest }) => manifest.state === 'unknown'))
  );
}

/** Three API requests when nothing slow is refreshed, two with carried pods; see `read-quick.ts`. */
async function lookOnce(
  ports: ClusterPorts,
  clock: ActivityClock,
  request: LookRequest,
): Promise<TakenLook> {
  const options: CallOptions = { timeoutMs: request.timings.requestMs };
  const slow = await readSlowParts(ports, request, options);
  const quick = await readQuick(ports, clock, {
    ...options,
    carriedPods: request.carriedPods,
    carriedNodes: request.carriedNodes,
    knownAddresses: slow.ownAddress,
  });
  const elsewhere = foreignNamespaces(understand(request, slow, quick), request, slow);
  if (elsewhere.length === 0) return understand(request, slow, quick);
  const leases = [...quick.quick.leases, ...(await readFurtherLeases(ports, elsewhere, options))];
  return understand(request, slow, { ...quick, quick: { ...quick.quick, leases } });
}

/** The same observation with some cached reads refreshed: for a step that changed nothing else. */
export async function lookAgainAt(
  ports: ClusterPorts,
  look: TakenLook,
  request: LookRequest,
): Promise<TakenLook> {
  const options: CallOptions = { timeoutMs: request.timings.requestMs };
  const slow = await readSlowParts(ports, request, options);
  return understand({ ...request, sightings: look.sightings }, slow, look.quick);
}

function understand(request: LookRequest, slow: SlowParts, quick: QuickAnswer): TakenLook {
  const { cluster, policy, sightings } = request;
  const { controlPlanePods, fence } = quick;
  const known = { ...slow, ownAddress: quick.ownAddress };
  const look = assembleLook({
    cluster,
    policy,
    quick: quick.quick,
    controlPlanePods,
    slow: known,
    sightings,
  });
  const { leases, serverTimeMs } = quick.quick;
  return { ...look, slow: known, quick, fence, leases, serverTimeMs };
}

/** Namespaces besides kube-system in which a configuration has a lock: two unrelated locks are a split brain. */
function foreignNamespaces(
  { observation }: Look,
  { policy }: LookRequest,
  slow: SlowParts,
): readonly string[] {
  const named = namedLeases(observation.nodes, { policy, slow });
  return [...new Set(named.map(({ namespace }) => namespace))].filter(
    (namespace) => namespace !== 'kube-system',
  );
}

/** Whether every Lease was observed to change, or is proven silent, or has no holder. */
export function isSettled({ observation }: Look): boolean {
  return observation.leases.every(({ freshness }) => freshness.kind !== 'seenOnce');
}

/** Reads only the Leases, in one request per namespace, and records which versions were seen. */
async function sightAgain(
  ports: ClusterPorts,
  clock: ActivityClock,
  { observation, sightings }: Look,
  options: CallOptions,
): Promise<readonly LeaseSighting[]> {
  const namespaces = [...new Set(observation.leases.map(({ namespace }) => namespace))];
  const pages = await Promise.all(
    namespaces.map((namespace) => listLeases(ports, namespace, options)),
  );
  const named = pages
    .flatMap(({ items }) => items.map(readLease))
    .filter((lease) =>
      observation.leases.some(
        ({ namespace, name }) => namespace === lease.namespace && name === lease.name,
      ),
    );
  return sightLeases(named, sightings, clock.nowMs());
}

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
