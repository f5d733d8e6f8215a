import { digestJson } from '../domain/digest.js';
import type { ClusterObservation } from '../domain/observation.js';
import type { AwaitChangeInput, Look } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import { setFenceMode } from './fence/fence-mode.js';
import type { SlowMemory } from './observe/slow-memory.js';
import { ALL_SLOW_PARTS } from './observe/slow-parts.js';
import type { TakenLook } from './observe/take-look.js';
import { isSettled } from './observe/take-look.js';

/** Looks of a hold are this many guard intervals apart. */
const INTERVALS = 5;
/** Each so many looks also what changes seldom is read: its cure shall not wait for the end of a wait of a day. */
const WHOLE_EVERY = 6;

/**
 * Returns when the cluster differs from `since` in anything that a decision rests on, or when the time is up.
 * Looks at bounded intervals: most of what matters (files, processes) no watch of the API server tells, and a watch
 * on Leases wakes at each renewal. Read only, but for the hint in our fence that it needs no frequent renewal now.
 */
export async function awaitClusterChange(
  { clock, scope: openScope }: ActivityDependencies,
  memory: SlowMemory,
  connection: ClusterConnection,
  input: AwaitChangeInput,
): Promise<Look> {
  const scope = openScope();
  const began = clock.nowMs();
  const deadline = began + input.atMostMs;
  const since = decisiveDigest(input.since);
  let sightings = input.sightings;
  const lookOnce = async (whole: boolean): Promise<TakenLook> => {
    const refresh = whole ? ALL_SLOW_PARTS : [];
    const taken = await memory.look(connection, clock, { ...input, sightings }, { refresh });
    sightings = taken.sightings;
    return taken;
  };
  let look = await lookOnce(true);
  await idle(connection, input, look);
  for (let looks = 1; ; looks += 1) {
    const { observation } = look;
    const isTime = clock.nowMs() >= began + input.atLeastMs;
    const changed = isTime && decisiveDigest(observation) !== since && isSettled(look);
    if (changed || clock.nowMs() >= deadline) return { observation, sightings };
    scope.heartbeat({ progress: 'waiting for a change' });
    const waitMs = Math.min(input.timings.guardMs * INTERVALS, deadline - clock.nowMs());
    await clock.sleep(Math.max(1, waitMs), scope.signal);
    look = await lookOnce(clock.nowMs() >= deadline || looks % WHOLE_EVERY === 0);
  }
}

async function idle(
  { api }: ClusterConnection,
  input: AwaitChangeInput,
  { fence }: TakenLook,
): Promise<void> {
  if (fence?.runId === input.runId && fence.mode !== 'idle') {
    await setFenceMode(api, input, fence, 'idle');
  }
}

/**
 * Digest of what decisions rest on: without times, versions of records and counters that change by themselves.
 */
function decisiveDigest(observation: ClusterObservation): string {
  const { leases, nodes, ...rest } = observation;
  return digestJson({
    ...rest,
    observedAtMs: 0,
    nodes: nodes.map((node) => ({
      ...node,
      kcm: { ...node.kcm, processes: node.kcm.processes.map(withoutCounters) },
      ccm: { ...node.ccm, processes: node.ccm.processes.map(withoutCounters) },
    })),
    leases: leases.map(({ namespace, name, holder, freshness, holderState }) => ({
      namespace,
      name,
      holder,
      freshness: freshness.kind,
      holderState,
    })),
  });
}

function withoutCounters<T extends { restarts: number }>(process: T): Omit<T, 'restarts'> {
  const { restarts: _restarts, ...rest } = process;
  return rest;
}
