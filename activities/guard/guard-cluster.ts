import { judgesSoftGates } from '../../domain/gates/soft-codes.js';
import { summarizeTrace } from '../../domain/ownership/ownership.js';
import type { GuardInput, GuardMemory, GuardReport } from '../contract.js';
import type { ActivityClock, ActivityDependencies, ActivityScope } from '../dependencies.js';
import { failure, plainMessage } from '../failures.js';
import type { ClusterPorts } from '../ports.js';
import type { GateSampler } from '../gates/gate-sampler.js';
import { booksAfterWrites } from '../gates/books-after-writes.js';
import { openGateSampler } from '../gates/open-sampler.js';
import { type FenceWatch, needsGuard, openFenceWatch } from './fence-watch.js';
import { openGapLog } from './guard-gap.js';
import { openBreachTeller } from './breach-teller.js';
import { memoryAtStart, newsIn } from './guard-memory.js';
import { type Between, guardRound, openReachLog } from './guard-round.js';
import type { RunTimings } from '../../domain/policy.js';

/**
 * Watches a cluster for as long as its run lives: light observations, hard gates, ownership of the migrated controllers.
 * Renews the fence, which nothing else opens, and records the current breaches in it, so that a breach stops the next write
 * even if no message gets through. While the fence is idle it observes only every `guardIdleMs` and is woken by a watch on
 * it. It ends by itself only when another run holds the fence: a failed observation renews nothing, and after three intervals
 * no step may write.
 */
export async function guardCluster(
  dependencies: ActivityDependencies,
  ports: ClusterPorts,
  input: GuardInput,
): Promise<GuardReport> {
  const [{ clock }, { timings }] = [dependencies, input];
  const scope = dependencies.scope();
  const { signal } = scope;
  const beat = openBeats(scope, clock, timings);
  const reach = openReachLog(dependencies.log, input.cluster.name);
  const gaps = openGapLog(dependencies, input.cluster.name, activePaceMs(timings));
  const watch = openFenceWatch({ api: ports.api, clock, timings, signal });
  const pause = (ms: number): Promise<void> => clock.sleep(ms, signal).catch(() => undefined);
  let between = atStart(scope, input, clock.nowMs());
  const sampler = openSampler(dependencies, ports, input, { signal, watch, between });
  const beside = { sampler, teller: openBreachTeller(dependencies, input) };
  try {
    for (;;) {
      if (signal.aborted) return ended(between.memory, scope, 'cancelled');
      try {
        const { lost, ...next } = await guardRound(dependencies, ports, input, between, beside);
        reach.observed(between.memory, next.memory);
        gaps.observed(next.fence, between.missed);
        between = next;
        if (lost) return ended(next.memory, scope, 'fenceLost');
      } catch (error) {
        reach.failed(error);
        between = unseen(between, error, clock.nowMs());
      }
      beat(between.memory);
      const { fence, missed } = between;
      if (fence === null || missed || needsGuard(fence)) await pause(activePaceMs(timings));
      if (fence === null || needsGuard(fence)) watch.close();
      else between = { ...between, rested: !(await watch.rest(fence, idlePaceMs(input))) };
    }
  } finally {
    watch.close();
    await sampler.close();
  }
}

/** Its news end a rest of the guard, which records them in the fence. */
function openSampler(
  { clock, log }: ActivityDependencies,
  ports: ClusterPorts,
  { cluster, policy, timings, mayHaveWritten }: GuardInput,
  own: {
    readonly signal: AbortSignal;
    readonly watch: FenceWatch;
    readonly between: Between;
  },
): GateSampler {
  const { signal, watch, between } = own;
  const sampling = {
    ...{ ports, clock, log, cluster: cluster.name, timings, signal },
    onNews: () => {
      watch.interrupt();
    },
  };
  const { memory } = between;
  const known =
    mayHaveWritten === undefined ? memory : booksAfterWrites(memory, policy.metricGates);
  return openGateSampler(sampling, policy.metricGates, known);
}

function atStart({ lastHeartbeat }: ActivityScope, input: GuardInput, nowMs: number): Between {
  const memory = memoryAtStart(lastHeartbeat, input, nowMs);
  return { memory, cached: null, fence: null, missed: true, rested: false };
}

function unseen(between: Between, error: unknown, nowMs: number): Between {
  const { memory } = between;
  const { sinceMs = nowMs, attempts = 0 } = memory.outage ?? {};
  const told = plainMessage(error).slice(0, LONGEST_ERROR);
  const outage = { sinceMs, attempts: attempts + 1, error: told };
  return { ...between, missed: true, memory: { ...memory, apiReachable: false, outage } };
}

const LONGEST_ERROR = 300;

/** Whatever the intervals, rounds are frequent enough to renew in time. */
function activePaceMs({ guardMs, fenceRenewMs }: RunTimings): number {
  return Math.min(guardMs, fenceRenewMs);
}

/**
 * A gate is read by the first round after `everyMs`, and judged again by the next one before that is read: with half of what is left
 * for the rest and half for the rounds, a rest leaves no gate unmeasured.
 */
function idlePaceMs({ timings, policy: { metricGates } }: GuardInput): number {
  const { guardIdleMs, fenceRenewIdleMs } = timings;
  const gatesMs =
    metricGates !== undefined && judgesSoftGates(metricGates)
      ? (metricGates.unmeasuredMs - metricGates.everyMs) / 2
      : Infinity;
  return Math.max(activePaceMs(timings), Math.min(guardIdleMs, fenceRenewIdleMs, gatesMs));
}

function ended(memory: GuardMemory, scope: ActivityScope, how: GuardReport['ended']): GuardReport {
  const reason: unknown = scope.signal.reason;
  if (how === 'cancelled' && reason instanceof Error && /WORKER_SHUTDOWN/.test(reason.message)) {
    scope.heartbeat(memory);
    throw failure('Unavailable', 'this worker shuts down; the guard continues on another one');
  }
  const { observations, breaches, trace } = memory;
  return { observations, breaches, ownership: summarizeTrace(trace), ended: how, memory };
}

/**
 * The guard's heartbeats. Each costs the server about 3 ms (measured), whatever its content. So they are a third of the
 * timeout apart, less one round, unless owners, breaches or reachability have changed.
 */
function openBeats(
  scope: ActivityScope,
  clock: ActivityClock,
  { heartbeatMs, guardMs }: RunTimings,
): (memory: GuardMemory) => void {
  let last: { readonly news: string; readonly atMs: number } | null = null;
  return (memory) => {
    const news = newsIn(memory);
    const nowMs = clock.nowMs();
    if (last?.news === news && nowMs - last.atMs < heartbeatMs / 3 - guardMs) return;
    last = { news, atMs: nowMs };
    scope.heartbeat(memory);
  };
}
