import { hardGates } from '../../domain/hard-gates.js';
import type { GateVerdict } from '../../domain/gates.js';
import type { GuardInput, GuardReport, LeaseSighting } from '../contract.js';
import type { ActivityDependencies, ActivityScope } from '../dependencies.js';
import { failure } from '../failures.js';
import type { SlowParts } from '../observe/slow-parts.js';
import { UNREAD } from '../observe/slow-parts.js';
import type { TakenLook } from '../observe/take-look.js';
import { takeLook } from '../observe/take-look.js';
import type { ClusterPorts } from '../ports.js';
import { breachChange, breachesOf } from './guard-breaches.js';
import type { OwnershipTrace } from './ownership-trace.js';
import {
  addLook,
  emptyTrace,
  orphanNow,
  provenBelievers,
  summarizeTrace,
} from './ownership-trace.js';
import { renewFence } from './renew-fence.js';

/** What the guard remembers; its heartbeat details, so that the next attempt goes on with it. */
export interface GuardMemory {
  readonly guard: 1;
  readonly looks: number;
  readonly breaches: readonly GateVerdict[];
  readonly trace: OwnershipTrace;
  readonly sightings: readonly LeaseSighting[];
}

const MOST_BREACHES = 20;

/**
 * Watches a cluster for as long as its run lives: light looks, hard gates, ownership of the migrated controllers.
 * Renews the fence and keeps the present breaches in it, so that a breach stops the next write even if no message
 * gets through. It never ends by itself but when another run holds the fence: a look that fails renews nothing,
 * and after three intervals no step may write any more.
 */
export async function guardCluster(
  dependencies: ActivityDependencies,
  ports: ClusterPorts,
  input: GuardInput,
): Promise<GuardReport> {
  const { clock, log } = dependencies;
  const scope = dependencies.scope();
  let memory = remembered(scope.lastHeartbeat) ?? freshMemory(input, clock.nowMs());
  let slow: SlowParts | null = null;
  for (;;) {
    if (scope.signal.aborted) return ended(memory, scope, 'cancelled');
    try {
      const round = await guardRound(dependencies, ports, input, { memory, slow });
      ({ memory, slow } = round);
      if (round.lost) return ended(memory, scope, 'fenceLost');
    } catch (error) {
      log.warn('a look of the guard failed', {
        cluster: input.cluster.name,
        error: error instanceof Error ? error.message : 'unknown error',
      });
    }
    scope.heartbeat(memory);
    await clock.sleep(input.timings.guardMs, scope.signal).catch(() => undefined);
  }
}

interface Between {
  readonly memory: GuardMemory;
  /** Of the slow parts only the CCM's workload matters here; null before the first round of this attempt. */
  readonly slow: SlowParts | null;
}

interface Round extends Between {
  readonly slow: SlowParts;
  readonly lost: boolean;
}

async function guardRound(
  dependencies: ActivityDependencies,
  ports: ClusterPorts,
  input: GuardInput,
  { memory, slow }: Between,
): Promise<Round> {
  const byWorkload = slow === null || input.policy.ccm.deployAs === 'daemonSet';
  const look = await takeLook(ports, dependencies.clock, {
    cluster: input.cluster,
    policy: input.policy,
    timings: input.timings,
    sightings: memory.sightings,
    carried: slow ?? UNREAD,
    refresh: byWorkload ? ['workload'] : [],
    // The next round looks again anyway.
    tries: 1,
  });
  const trace = addLook(memory.trace, look.observation, (holder) => acquiredBy(look, holder));
  const verdicts = hardGates(look.observation, {
    controllers: input.policy.lock.controllers,
    orphanMs: orphanNow(trace),
    orphanBudgetMs: input.timings.orphanBudgetMs,
    inventory: null,
    believers: provenBelievers(memory.trace, trace),
  });
  const next: GuardMemory = {
    guard: 1,
    looks: memory.looks + 1,
    breaches: rememberBreaches(memory.breaches, verdicts),
    trace,
    sightings: look.sightings,
  };
  const between = { memory: next, slow: look.slow };
  if (look.fence?.runId !== input.runId) return { ...between, lost: true };
  const breach = breachChange(look.fence, verdicts);
  await renewFence(ports.api, input, look.fence, look.serverTimeMs, breach);
  if (breach.changed && breach.text !== '') {
    await dependencies.announceBreach?.(input, breachesOf(verdicts));
  }
  return { ...between, lost: false };
}

function acquiredBy({ leases }: TakenLook, holder: string): number | null {
  const times = leases
    .filter((lease) => holder !== '' && lease.holder === holder)
    .flatMap(({ acquiredAtMs }) => acquiredAtMs ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/** Each gate once, with the detail of its latest failure. */
function rememberBreaches(
  before: readonly GateVerdict[],
  verdicts: readonly GateVerdict[],
): readonly GateVerdict[] {
  const failing = breachesOf(verdicts);
  const gates = new Set(failing.map(({ gate }) => gate));
  return [...before.filter(({ gate }) => !gates.has(gate)), ...failing].slice(-MOST_BREACHES);
}

function freshMemory({ policy }: GuardInput, nowMs: number): GuardMemory {
  const trace = emptyTrace(policy.lock.controllers, nowMs);
  return { guard: 1, looks: 0, breaches: [], trace, sightings: [] };
}

function remembered(details: unknown): GuardMemory | null {
  if (typeof details !== 'object' || details === null) return null;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own heartbeat of the attempt before; the mark tells it from anything else
  return 'guard' in details && details.guard === 1 ? (details as GuardMemory) : null;
}

function ended(
  memory: GuardMemory,
  { signal }: ActivityScope,
  how: GuardReport['ended'],
): GuardReport {
  const reason: unknown = signal.reason;
  if (how === 'cancelled' && reason instanceof Error && /WORKER_SHUTDOWN/.test(reason.message)) {
    throw failure('Unavailable', 'this worker shuts down; the guard goes on at another one');
  }
  const { looks, breaches, trace } = memory;
  return { looks, breaches, ownership: summarizeTrace(trace), ended: how };
}
