import { randomUUID } from 'node:crypto';
import type { RememberedObservation } from '../../domain/run/results.js';
import type { RunContext } from '../contract.js';
import type { ActivityClock } from '../dependencies.js';
import type { ClusterPorts } from '../ports.js';
import type { PodObject } from './objects.js';
import type { CachedRead, CachedReads } from './cached-reads.js';
import { ALL_CACHED_READS, NOT_READ } from './cached-reads.js';
import type { SnapshotRequest, CollectedSnapshot } from './collect-snapshot.js';
import { refreshSnapshot, collectSnapshot } from './collect-snapshot.js';
import { sightingOf, type StartSighting } from './first-observation.js';

export type MemoryInput = RunContext & Pick<SnapshotRequest, 'firstSeen'> & RememberedObservation;

/** Options of an observation: what to re-read. */
export interface RefreshOptions {
  readonly refresh?: readonly CachedRead[];
  /** Cached reads known by other means. */
  readonly learned?: Partial<CachedReads> | undefined;
  /** Pods may be those of the previous observation: they are never proof of anything. */
  readonly carryPods?: boolean;
  /** An observation of the same step whose Nodes, and pods except those of `except`, are still valid. */
  readonly reuse?: { readonly snapshot: CollectedSnapshot; readonly except: PodPlace } | undefined;
  /** Nothing waits for it. */
  readonly unhurried?: boolean;
}

/** A manager's slot on a node whose pod was replaced. */
export interface PodPlace {
  readonly node: string;
  readonly component: string;
}

/**
 * The cached reads of each run's last observation, kept by the worker: otherwise they would cost history and requests at
 * every step. The run names its last observation by an id: where that is not the one remembered here, another worker has
 * observed or written since, or this one has restarted, and everything is read again.
 */
export interface ObservationCache {
  /** Observes with the cached reads of this run; reads everything when there are none. */
  snapshot(
    ports: ClusterPorts,
    clock: ActivityClock,
    input: MemoryInput,
    refreshOptions?: RefreshOptions,
  ): Promise<CollectedSnapshot>;
  /** The same observation with cached reads refreshed. */
  refreshSnapshot(
    ports: ClusterPorts,
    snapshot: CollectedSnapshot,
    input: MemoryInput,
    refreshOptions: RefreshOptions,
  ): Promise<CollectedSnapshot>;
  /** Caches an observation and returns it with the id that it is remembered by. */
  keep(runId: string, snapshot: CollectedSnapshot): CollectedSnapshot;
  /** Leaves what the check of a start saw to the first observation of that run. */
  keepStart(runId: string, snapshot: CollectedSnapshot): void;
  /** Takes it: a second observation reads for itself. */
  takeStart(runId: string): StartSighting | null;
  forget(runId: string): void;
}

interface Remembered {
  readonly id: string;
  readonly cached: CachedReads;
  readonly pods: readonly PodObject[];
}

/** Maximum cached runs; the least recently used is evicted first. */
const MOST_RUNS = 1000;

function evictOldest(runs: Map<string, unknown>): void {
  const oldest = runs.size > MOST_RUNS ? runs.keys().next().value : undefined;
  if (oldest !== undefined) runs.delete(oldest);
}

function openStarts(): Pick<ObservationCache, 'keepStart' | 'takeStart'> {
  const starts = new Map<string, StartSighting>();
  return {
    keepStart: (runId, snapshot) => {
      starts.set(runId, sightingOf(snapshot));
      evictOldest(starts);
    },
    takeStart: (runId) => {
      const start = starts.get(runId) ?? null;
      starts.delete(runId);
      return start;
    },
  };
}

export function createObservationCache(): ObservationCache {
  const runs = new Map<string, Remembered>();
  const starts = openStarts();
  const keep = (runId: string, snapshot: CollectedSnapshot): CollectedSnapshot => {
    runs.delete(runId);
    const [id, cached] = [randomUUID(), { ...snapshot.cached, objects: null }];
    runs.set(runId, { id, cached, pods: snapshot.live.controlPlanePods });
    evictOldest(runs);
    return { ...snapshot, observationId: id };
  };
  return {
    keep,
    ...starts,
    forget: (runId) => {
      runs.delete(runId);
      starts.takeStart(runId);
    },
    snapshot: async (ports, clock, input, refreshOptions = {}) => {
      const last = runs.get(input.runId);
      const known = last?.id === input.observationId ? last : undefined;
      const snapshot = await collectSnapshot(ports, clock, {
        ...requestOf(input),
        carried: { ...(known?.cached ?? NOT_READ), ...refreshOptions.learned },
        refresh: known === undefined ? ALL_CACHED_READS : (refreshOptions.refresh ?? []),
        ...carriedBy(refreshOptions, known?.pods),
        unhurried: refreshOptions.unhurried,
      });
      return keep(input.runId, snapshot);
    },
    refreshSnapshot: async (ports, snapshot, input, { refresh = [], learned }) => {
      const carried = { ...snapshot.cached, ...learned };
      return keep(
        input.runId,
        await refreshSnapshot(ports, snapshot, { ...requestOf(input), carried, refresh }),
      );
    },
  };
}

function carriedBy(
  { carryPods, reuse }: RefreshOptions,
  pods: readonly PodObject[] | undefined,
): Pick<SnapshotRequest, 'carriedPods' | 'carriedNodes'> {
  if (reuse === undefined) return carryPods === true ? { carriedPods: carriable(pods) } : {};
  const { snapshot, except } = reuse;
  const others = snapshot.live.controlPlanePods.filter(
    ({ metadata, spec }) =>
      spec?.nodeName !== except.node || metadata?.labels?.['component'] !== except.component,
  );
  return { carriedPods: others, carriedNodes: snapshot.live.nodeObjects };
}

/** Where etcd runs in pods their health must be fresh: then every observation lists them. */
function carriable(pods: readonly PodObject[] | undefined): readonly PodObject[] | undefined {
  const stacked = pods?.some(({ metadata }) => metadata?.labels?.['component'] === 'etcd');
  return stacked === true ? undefined : pods;
}

function requestOf({
  cluster,
  policy,
  timings,
  firstSeen,
}: MemoryInput): Pick<SnapshotRequest, 'cluster' | 'policy' | 'timings' | 'firstSeen'> {
  return { cluster, policy, timings, firstSeen };
}
