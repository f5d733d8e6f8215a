import type { RunContext } from '../contract.js';
import type { ActivityClock } from '../dependencies.js';
import type { ClusterPorts } from '../ports.js';
import type { PodObject } from './objects.js';
import type { SlowPart, SlowParts } from './slow-parts.js';
import { ALL_SLOW_PARTS, UNREAD } from './slow-parts.js';
import type { LookRequest, TakenLook } from './take-look.js';
import { lookAgainAt, takeLook } from './take-look.js';

export type MemoryInput = RunContext & Pick<LookRequest, 'sightings'>;

/** Options of an observation: what to re-read. */
export interface LookWish {
  readonly refresh?: readonly SlowPart[];
  /** Cached reads known by other means. */
  readonly learned?: Partial<SlowParts> | undefined;
  /** Pods may be those of the previous observation: they are never proof of anything. */
  readonly carryPods?: boolean;
  /** An observation of the same step whose Nodes, and pods except those of `anew`, are still valid. */
  readonly like?: { readonly look: TakenLook; readonly anew: PodPlace } | undefined;
}

/** A manager's slot on a node whose pod was replaced. */
export interface PodPlace {
  readonly node: string;
  readonly component: string;
}

/**
 * The cached reads of each run's last observation, kept by the worker: otherwise they would cost history and requests at
 * every step. Another worker, or this one after a restart, re-reads them.
 */
export interface SlowMemory {
  /** Observes with the cached reads of this run; reads everything when there are none. */
  look(
    ports: ClusterPorts,
    clock: ActivityClock,
    input: MemoryInput,
    wish?: LookWish,
  ): Promise<TakenLook>;
  /** The same observation with cached reads refreshed. */
  lookAgainAt(
    ports: ClusterPorts,
    look: TakenLook,
    input: MemoryInput,
    wish: LookWish,
  ): Promise<TakenLook>;
  /** Caches an observation and returns it. */
  keep(runId: string, look: TakenLook): TakenLook;
  forget(runId: string): void;
}

interface Remembered {
  readonly slow: SlowParts;
  readonly pods: readonly PodObject[];
}

/** Maximum cached runs; the least recently used is evicted first. */
const MOST_RUNS = 1000;

export function createSlowMemory(): SlowMemory {
  const runs = new Map<string, Remembered>();
  const keep = (runId: string, taken: TakenLook): TakenLook => {
    const first = runs.get(runId)?.slow.firstLoadBalancers ?? taken.slow.loadBalancers;
    const look = { ...taken, slow: { ...taken.slow, firstLoadBalancers: first } };
    runs.delete(runId);
    runs.set(runId, { slow: look.slow, pods: look.quick.controlPlanePods });
    const oldest = runs.size > MOST_RUNS ? runs.keys().next().value : undefined;
    if (oldest !== undefined) runs.delete(oldest);
    return look;
  };
  return {
    keep,
    forget: (runId) => {
      runs.delete(runId);
    },
    look: async (ports, clock, input, wish = {}) => {
      const known = runs.get(input.runId);
      const look = await takeLook(ports, clock, {
        ...requestOf(input),
        carried: { ...(known?.slow ?? UNREAD), ...wish.learned },
        refresh: known === undefined ? ALL_SLOW_PARTS : (wish.refresh ?? []),
        ...carriedBy(wish, known?.pods),
      });
      return keep(input.runId, look);
    },
    lookAgainAt: async (ports, look, input, { refresh = [], learned }) => {
      const carried = { ...look.slow, ...learned };
      return keep(
        input.runId,
        await lookAgainAt(ports, look, { ...requestOf(input), carried, refresh }),
      );
    },
  };
}

function carriedBy(
  { carryPods, like }: LookWish,
  pods: readonly PodObject[] | undefined,
): Pick<LookRequest, 'carriedPods' | 'carriedNodes'> {
  if (like === undefined) return carryPods === true ? { carriedPods: carriable(pods) } : {};
  const { look, anew } = like;
  const others = look.quick.controlPlanePods.filter(
    ({ metadata, spec }) =>
      spec?.nodeName !== anew.node || metadata?.labels?.['component'] !== anew.component,
  );
  return { carriedPods: others, carriedNodes: look.quick.nodeObjects };
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
  sightings,
}: MemoryInput): Pick<LookRequest, 'cluster' | 'policy' | 'timings' | 'sightings'> {
  return { cluster, policy, timings, sightings };
}
