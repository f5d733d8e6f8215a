import type { MigrationPolicy } from '../../domain/policy.js';
import type { ClusterRef, Snapshot, ObserveInput } from '../contract.js';
import type { ActivityClock, ActivityScope } from '../dependencies.js';
import type { FenceRecord } from '../fence/fence-record.js';
import type { LeaseReading } from '../lease-reading.js';
import { freshnessOf, hostnameOf, readLease, recordFirstSeen } from '../lease-reading.js';
import type { CallOptions, ClusterPorts } from '../ports.js';
import { assembleSnapshot, namedLeases } from './assemble.js';
import { inTurn } from './in-turn.js';
import type { NodeObject, PodObject } from './objects.js';
import { controlPlaneOf, listLeases, readFurtherLeases, readLive } from './read-live.js';
import { readCached } from './read-cached.js';
import type { LiveReads } from './readings.js';
import type { CachedRead, CachedReads } from './cached-reads.js';
import { ALL_CACHED_READS, NOT_READ } from './cached-reads.js';
import type { LeaseFirstSeen } from '../../domain/run/results.js';
import type { RunTimings } from '../../domain/policy.js';

export interface SnapshotRequest {
  readonly cluster: ClusterRef;
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
  readonly firstSeen: readonly LeaseFirstSeen[];
  /** Cached reads of an earlier observation, and which of them to refresh. */
  readonly carried: CachedReads;
  readonly refresh: readonly CachedRead[];
  /**
   * Pods of an earlier observation: they are never proof of anything, so an observation before a write needs no new
   * list.
   */
  readonly carriedPods?: readonly PodObject[] | undefined;
  /** Nodes of the first observation of the same step, for a step that changes none. */
  readonly carriedNodes?: readonly NodeObject[] | undefined;
  /** Attempts when something changed during the observation. */
  readonly attempts?: number;
  /** Nothing waits for the observation: its requests may be sent one after the other (`in-turn.ts`). */
  readonly unhurried?: boolean | undefined;
}

/** An observation with the parts that only the worker keeps. */
export interface CollectedSnapshot extends Snapshot {
  readonly cached: CachedReads;
  readonly live: LiveReads;
  readonly fence: FenceRecord | null;
  readonly leases: readonly LeaseReading[];
  readonly serverTimeMs: number;
}

const TRIES = 4;

/**
 * Observes everything volatile. Hosts are read before Leases, so a process that starts or wins an election in between appears
 * as an unknown holder: then this observes again, because only a lasting mismatch is really unknown.
 */
export async function collectSnapshot(
  ports: ClusterPorts,
  clock: ActivityClock,
  request: SnapshotRequest,
): Promise<CollectedSnapshot> {
  const { attempts = TRIES, timings } = request;
  let snapshot = await readOnce(ports, clock, request);
  for (let count = 1; count < attempts && isInconsistent(snapshot); count += 1) {
    await clock.sleep(timings.pollMs);
    const { firstSeen, cached } = snapshot;
    snapshot = await readOnce(ports, clock, {
      ...request,
      firstSeen,
      carried: cached,
      refresh: [],
    });
  }
  return snapshot;
}

/** Something on a host that answers contradicts a Lease or a manifest. */
function isInconsistent({ observation: { nodes, leases } }: CollectedSnapshot): boolean {
  const hosts = nodes.filter(({ reachable }) => reachable);
  return (
    leases.some(
      ({ holder, holderState }) =>
        holderState === 'unknown' && hosts.some(({ hostname }) => hostname === hostnameOf(holder)),
    ) ||
    hosts.some(({ kcm, ccm }) => [kcm, ccm].some(({ manifest }) => manifest.state === 'unknown'))
  );
}

/**
 * Three API requests when nothing slow is refreshed, two with carried pods; see `read-live.ts`. An inventory lists all Nodes, those of
 * the control plane too.
 */
async function readOnce(
  all: ClusterPorts,
  clock: ActivityClock,
  request: SnapshotRequest,
): Promise<CollectedSnapshot> {
  const ports = request.unhurried === true ? inTurn(all) : all;
  const options: CallOptions = { timeoutMs: request.timings.requestMs };
  const { cached, nodes } = await readCached(ports, request, options);
  const live = await readLive(ports, clock, {
    ...options,
    carriedPods: request.carriedPods,
    carriedNodes: nodes === null ? request.carriedNodes : controlPlaneOf(nodes),
    knownAddresses: cached.ownAddress,
    knownFiles: cached.namedFiles,
  });
  const elsewhere = foreignNamespaces(assemble(request, cached, live), request, cached);
  if (elsewhere.length === 0) return assemble(request, cached, live);
  const leases = [...live.leases, ...(await readFurtherLeases(ports, elsewhere, options))];
  return assemble(request, cached, { ...live, leases });
}

/** The same observation with some cached reads refreshed: for a step that changed nothing else. */
export async function refreshSnapshot(
  ports: ClusterPorts,
  snapshot: CollectedSnapshot,
  request: SnapshotRequest,
): Promise<CollectedSnapshot> {
  const options: CallOptions = { timeoutMs: request.timings.requestMs };
  const { cached } = await readCached(ports, request, options);
  return assemble({ ...request, firstSeen: snapshot.firstSeen }, cached, snapshot.live);
}

function assemble(
  request: SnapshotRequest,
  cached: CachedReads,
  live: LiveReads,
): CollectedSnapshot {
  const { fence, leases, serverTimeMs, ownAddress, namedFiles } = live;
  const known = { ...cached, ownAddress, namedFiles };
  return {
    ...assembleSnapshot(request, known, live),
    cached: known,
    live,
    fence,
    leases,
    serverTimeMs,
  };
}

/** Namespaces besides kube-system in which a configuration has a lock: two unrelated locks are a split brain. */
function foreignNamespaces(
  { observation }: Snapshot,
  { policy }: SnapshotRequest,
  cached: CachedReads,
): readonly string[] {
  const named = namedLeases(observation.nodes, policy, cached);
  return [...new Set(named.map(({ namespace }) => namespace))].filter(
    (namespace) => namespace !== 'kube-system',
  );
}

/** Whether every Lease was observed to change, or is proven silent, or has no holder. */
export function isSettled({ observation }: Snapshot): boolean {
  return observation.leases.every(({ freshness }) => freshness.kind !== 'seenOnce');
}

/** Reads only the Leases, in one request per namespace, and records which versions were seen. */
async function rereadLeases(
  ports: ClusterPorts,
  clock: ActivityClock,
  { observation, firstSeen }: Snapshot,
  options: CallOptions,
): Promise<readonly LeaseFirstSeen[]> {
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
  return recordFirstSeen(named, firstSeen, clock.nowMs());
}

/** An observation asks for no decision of its own. */
export type SettleInput = Omit<ObserveInput, 'epoch' | 'decide'>;

/** Upper bound of configured lease durations; a Lease silent for longer is settled. */
const LONGEST_WAIT_MS = 120_000;

/**
 * A full observation that waits until every Lease was observed twice: it changed, or stayed unchanged for its whole lease
 * duration. Read only. Cached reads happen once; while waiting only Leases are read; then everything volatile is read once
 * more. With `known` cached reads those are carried over instead.
 */
export async function observeSettled(
  ports: ClusterPorts,
  clock: ActivityClock,
  scope: ActivityScope,
  input: SettleInput,
  known: CachedReads | null = null,
): Promise<CollectedSnapshot> {
  const base = { cluster: input.cluster, policy: input.policy, timings: input.timings };
  const options = { timeoutMs: input.timings.requestMs };
  const deadline = clock.nowMs() + LONGEST_WAIT_MS;
  let snapshot = await collectSnapshot(ports, clock, {
    ...base,
    firstSeen: input.firstSeen,
    carried: known ?? NOT_READ,
    refresh: known === null ? ALL_CACHED_READS : [],
  });
  while (!isSettled(snapshot) && clock.nowMs() < deadline) {
    let { firstSeen } = snapshot;
    while (!areSettled(snapshot, firstSeen, clock.nowMs()) && clock.nowMs() < deadline) {
      scope.heartbeat({ progress: 'waiting until every Lease was seen twice' });
      await clock.sleep(2 * input.timings.pollMs, scope.signal);
      firstSeen = await rereadLeases(ports, clock, snapshot, options);
    }
    snapshot = await collectSnapshot(ports, clock, {
      ...base,
      firstSeen,
      carried: snapshot.cached,
      refresh: [],
    });
  }
  return snapshot;
}

function areSettled(
  { leases, observation }: CollectedSnapshot,
  firstSeen: readonly LeaseFirstSeen[],
  nowMs: number,
): boolean {
  return observation.leases.every(({ namespace, name }) => {
    const lease = leases.find((each) => each.namespace === namespace && each.name === name);
    return lease === undefined || freshnessOf(lease, firstSeen, nowMs).kind !== 'seenOnce';
  });
}
