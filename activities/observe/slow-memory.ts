import type { RunContext } from '../contract.js';
import type { ActivityClock } from '../dependencies.js';
import type { ClusterPorts } from '../ports.js';
import type { SlowPart, SlowParts } from './slow-parts.js';
import { ALL_SLOW_PARTS, UNREAD } from './slow-parts.js';
import type { LookRequest, TakenLook } from './take-look.js';
import { takeLook } from './take-look.js';

type MemoryInput = RunContext & Pick<LookRequest, 'sightings'>;

/**
 * The slow parts of each run's last look, kept by the worker: they would cost history and requests at every step.
 * Another worker, or this one after a restart, reads them anew.
 */
export interface SlowMemory {
  /** Looks with what is remembered of this run, reading `refresh` (all, when nothing is remembered) anew. */
  look(
    ports: ClusterPorts,
    clock: ActivityClock,
    input: MemoryInput,
    refresh: readonly SlowPart[],
  ): Promise<TakenLook>;
  remember(runId: string, slow: SlowParts): void;
  forget(runId: string): void;
}

/** Runs remembered at once; the least recently used goes first. */
const MOST_RUNS = 1000;

export function createSlowMemory(): SlowMemory {
  const runs = new Map<string, SlowParts>();
  const remember = (runId: string, slow: SlowParts): void => {
    runs.delete(runId);
    runs.set(runId, slow);
    const oldest = runs.size > MOST_RUNS ? runs.keys().next().value : undefined;
    if (oldest !== undefined) runs.delete(oldest);
  };
  return {
    remember,
    forget: (runId) => {
      runs.delete(runId);
    },
    look: async (ports, clock, input, refresh) => {
      const known = runs.get(input.runId);
      const look = await takeLook(ports, clock, {
        cluster: input.cluster,
        policy: input.policy,
        timings: input.timings,
        sightings: input.sightings,
        carried: known ?? UNREAD,
        refresh: known === undefined ? ALL_SLOW_PARTS : refresh,
      });
      remember(input.runId, look.slow);
      return look;
    },
  };
}
