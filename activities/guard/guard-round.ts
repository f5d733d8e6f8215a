import { hardGates } from '../../domain/gates/hard-gates.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { OwnershipTrace } from '../../domain/ownership/ownership-trace.js';
import {
  addObservation,
  orphanNow,
  confirmedStaleOwners,
  unseenSince,
} from '../../domain/ownership/ownership.js';
import type { GuardInput, GuardMemory } from '../contract.js';
import type { ActivityDependencies, ActivityLog } from '../dependencies.js';
import { failureTypeOf } from '../failures.js';
import { acceptedKey, type FenceRecord } from '../fence/fence-record.js';
import type { GateMemory, GateSampler, Observed } from '../gates/gate-sampler.js';
import type { CachedReads } from '../observe/cached-reads.js';
import { NOT_READ } from '../observe/cached-reads.js';
import type { CollectedSnapshot } from '../observe/collect-snapshot.js';
import { collectSnapshot } from '../observe/collect-snapshot.js';
import type { ClusterPorts } from '../ports.js';
import type { BreachTeller } from './breach-teller.js';
import { renewFence } from './fence-watch.js';
import { bounded, breachChange, rememberBreaches } from './guard-memory.js';

/** What one round of a guard passes to the next. */
export interface Between {
  readonly memory: GuardMemory;
  /** Of the cached reads only the CCM's workload matters here; null before the first round of this attempt. */
  readonly cached: CachedReads | null;
  /** The fence as the last round read it; null before the first. */
  readonly fence: FenceRecord | null;
  /** No round of this attempt has succeeded since the last observation in the memory. */
  readonly missed: boolean;
  /** The guard rested since its last round, and nothing woke it. */
  readonly rested: boolean;
}

export interface Round extends Between {
  readonly lost: boolean;
}

/** What a guard has besides its rounds. */
export interface Beside {
  readonly teller: BreachTeller;
  readonly sampler: GateSampler;
}

/** One round: observe owners and gates, and renew or rewrite the fence accordingly. */
export async function guardRound(
  dependencies: ActivityDependencies,
  ports: ClusterPorts,
  input: GuardInput,
  between: Between,
  { teller, sampler }: Beside,
): Promise<Round> {
  const snapshot = await observe(dependencies, ports, input, between);
  const before = traceBefore(between, snapshot, input);
  const trace = addObservation(before, snapshot.observation, (holder) =>
    acquiredBy(snapshot, holder),
  );
  const hard = hardGates(snapshot.observation, {
    controllers: input.policy.lock.controllers,
    nodes: input.policy.nodes,
    orphanMs: orphanNow(trace),
    orphanBudgetMs: input.policy.orphanBudgetMs,
    inventory: null,
    staleOwners: confirmedStaleOwners(before, trace),
  });
  const seen = { ...snapshot, trace };
  const { metrics, readNext } = await sampled(sampler, seen);
  const verdicts = [...hard, ...metrics];
  const book = sampler.book();
  const next = {
    memory: remembering(between.memory, snapshot, { verdicts, trace, book }),
    cached: snapshot.cached,
    fence: snapshot.fence,
    missed: false,
    rested: false,
  };
  if (snapshot.fence?.runId !== input.runId) return { ...next, lost: true };
  const breach = breachChange(snapshot.fence, verdicts);
  const isFirst = between.fence === null;
  const { serverTimeMs } = snapshot;
  const renewal = { serverTimeMs, breach, isFirst, metrics };
  await renewFence(ports.api, input, snapshot.fence, renewal).finally(readNext);
  if (breach.text !== '') await teller.tell(verdicts, breach.changed);
  return { ...next, lost: false };
}

/**
 * What the soft gates say of the cluster as it was observed now; nothing is confirmed before they were measured once. Later readings
 * begin with `readNext`, after the fence is renewed: beside that request they would need a connection more, for each cluster that rests.
 */
async function sampled(
  sampler: GateSampler,
  { fence, observation, leases, serverTimeMs, trace }: CollectedSnapshot & Observed,
): Promise<{ readonly metrics: readonly GateVerdict[]; readonly readNext: () => Promise<void> }> {
  const seen = { observation, leases, serverTimeMs, trace };
  const waits = sampler.isRead();
  if (!waits) await sampler.observed(seen);
  if (fence !== null) {
    const { acknowledged } = fence;
    sampler.accepted(fence.epoch, (gate) => acknowledged.includes(acceptedKey(gate)));
  }
  return {
    metrics: sampler.verdicts(),
    readNext: async () => {
      if (waits) await sampler.observed(seen);
    },
  };
}

function remembering(
  { observations, breaches }: GuardMemory,
  { firstSeen, observation }: CollectedSnapshot,
  seen: {
    readonly verdicts: readonly GateVerdict[];
    readonly trace: OwnershipTrace;
    readonly book: GateMemory;
  },
): GuardMemory {
  return bounded({
    guard: 1,
    observations: observations + 1,
    breaches: rememberBreaches(breaches, seen.verdicts),
    trace: seen.trace,
    firstSeen,
    reachable: Object.fromEntries(
      observation.nodes.map(({ name, reachable }) => [name, reachable]),
    ),
    apiReachable: true,
    outage: null,
    ...seen.book,
  });
}

function observe(
  { clock }: ActivityDependencies,
  ports: ClusterPorts,
  { cluster, policy, timings }: GuardInput,
  { memory, cached, missed, rested }: Between,
): Promise<CollectedSnapshot> {
  const byWorkload = cached === null || policy.ccm.deployAs === 'daemonSet';
  return collectSnapshot(ports, clock, {
    ...{ cluster, policy, timings, firstSeen: memory.firstSeen },
    carried: cached ?? NOT_READ,
    refresh: byWorkload ? ['workload'] : [],
    // The next round observes again anyway.
    attempts: 1,
    // After a failed round, or when a step waits, every second counts.
    unhurried: rested && !missed,
  });
}

/** Rounds that may fail or be late before the time between two observations counts as unobserved. */
const ROUNDS = 3;

/**
 * The last observation still counts for the time until now, unless there was none for longer than a few rounds take: the
 * worker of this guard died, or the API server did not answer.
 */
function traceBefore(
  { memory: { trace }, missed }: Between,
  { observation, fence }: CollectedSnapshot,
  { timings: { guardMs, guardIdleMs } }: GuardInput,
): OwnershipTrace {
  const usualMs = ROUNDS * guardMs + (fence?.mode === 'idle' ? guardIdleMs : 0);
  return missed && observation.observedAtMs - trace.atMs > usualMs ? unseenSince(trace) : trace;
}

function acquiredBy({ leases }: CollectedSnapshot, holder: string): number | null {
  const times = leases
    .filter((lease) => holder !== '' && lease.holder === holder)
    .flatMap(({ acquiredAtMs }) => acquiredAtMs ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/** Logs what became unreachable and what is reachable again, once per change, because rounds come every second. */
export interface ReachLog {
  observed(before: GuardMemory, now: GuardMemory): void;
  failed(error: unknown): void;
}

export function openReachLog(log: ActivityLog, cluster: string): ReachLog {
  let failing = '';
  return {
    observed: (before, now) => {
      if (failing !== '') log.info('the guard observes the cluster again', { cluster });
      failing = '';
      for (const [node, isReachable] of Object.entries(now.reachable)) {
        const wasReachable = before.reachable[node] ?? true;
        if (isReachable === wasReachable) continue;
        if (isReachable) log.info('a node answers again', { cluster, node });
        else log.warn('a node is unreachable', { cluster, node });
      }
    },
    failed: (error) => {
      const why = failureTypeOf(error) ?? messageOf(error);
      if (why === failing) return;
      failing = why;
      log.warn('an observation of the guard failed', { cluster, error: messageOf(error) });
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
