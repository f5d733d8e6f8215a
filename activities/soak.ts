import { hardGates } from '../domain/gates/hard-gates.js';
import { holdsRun, type GateVerdict } from '../domain/gates/verdicts.js';
import { countingVerdicts, passesSoftGates } from '../domain/gates/waived-gates.js';
import type { LoadBalancer } from '../domain/observation/load-balancers.js';
import { clusterOwner } from '../domain/ownership/owners.js';
import type { SoakInput, SoakReport } from './contract.js';
import { decided, isGuarded } from './decided-observation.js';
import type { ActivityClock, ActivityDependencies, ClusterConnection } from './dependencies.js';
import { metricVerdicts } from './fence/gate-notes.js';
import type { FenceToken } from './fence/read-fence.js';
import { requireFence, restFenceOf } from './fence/read-fence.js';
import { sinceInventory } from './observe/inventory.js';
import type { ObservationCache, RefreshOptions } from './observe/observation-cache.js';
import type { CollectedSnapshot } from './observe/collect-snapshot.js';
import type { SoakProgress } from '../domain/run/results.js';

/** Samples are this far apart, so that a long soak costs little. */
const SHARE_OF_SOAK = 20;
/**
 * A short soak has at least so many samples after its first. More would cost more than its migration: the guard observes
 * meanwhile at its idle interval.
 */
const FEWEST_SAMPLES = 3;
/**
 * However long a soak lasts, a failure is noticed within this time, even without the guard, which observes more often. What
 * only the inventory shows is listed as often as that, and whenever a soak begins or completes.
 */
const LONGEST_INTERVAL_MS = 30_000;

/**
 * Watches the cluster until every hard gate has passed for `soakMs`, with nothing changing, or until one fails. A brief
 * failure to measure stops the clock but does not reset it. Read only, so it may be interrupted at any time: a restarted
 * attempt, or a later soak with its progress, continues from there.
 */
export async function soakCluster(
  dependencies: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: SoakInput,
): Promise<SoakReport> {
  const { scope: openScope } = dependencies;
  const scope = openScope();
  // A single measurement only reads, and is requested just where a breach may be recorded.
  if (input.soakMs > 0) {
    const { target, waivedGates = [] } = input.decide;
    const passesSoft = passesSoftGates(target);
    const token: FenceToken = { ...input, cures: [], passesSoft, waivedGates };
    const options = { timeoutMs: input.timings.requestMs };
    const seen = await requireFence(connection.api, token, options);
    await restFenceOf(connection.api, input, { seen, signal: scope.signal });
  }
  const soak = openSoak(dependencies, memory, connection, input, remembered(scope.lastHeartbeat));
  const intervalMs = intervalOf(input);
  for (;;) {
    const report = await soak.sample();
    if (isOver(report, input) || soak.unmeasuredMs() > patienceMs(input)) return report;
    scope.heartbeat({ soak: 1, ...report.progress });
    const cutOff = await dependencies.clock.sleep(intervalMs, scope.signal).then(
      () => false,
      () => true,
    );
    if (cutOff) return report;
  }
}

function intervalOf({ timings, soakMs }: SoakInput): number {
  const { guardMs, guardIdleMs } = timings;
  const shortMs = Math.min(guardIdleMs, soakMs / FEWEST_SAMPLES);
  return Math.min(Math.max(guardMs, shortMs, soakMs / SHARE_OF_SOAK), LONGEST_INTERVAL_MS);
}

/**
 * What one sample adds at most: its pause and a request. The clock is the wall's: a machine that was restored or has just booted
 * may set it forward by hours in one pause, and back; nothing was observed in such a time, and no time that was is taken back.
 */
function creditedMs(fromMs: number, toMs: number, input: SoakInput): number {
  const mostMs = intervalOf(input) + input.timings.requestMs;
  return Math.min(Math.max(0, toMs - fromMs), mostMs);
}

/** A single measurement ends with any result; a soak continues while it merely could not measure. */
function isOver({ complete, verdicts }: SoakReport, { soakMs }: SoakInput): boolean {
  return complete || soakMs === 0 || verdicts.some(({ verdict }) => verdict === 'fail');
}

interface Soak {
  readonly sample: () => Promise<SoakReport>;
  /** How long something could not be measured so far. */
  readonly unmeasuredMs: () => number;
}

/**
 * A failure to measure that lasts longer is not transient: the run holds, reports why, and continues when it has
 * passed.
 */
function patienceMs({ timings }: SoakInput): number {
  return 2 * timings.settleMs;
}

/** A Service that lost its address shows in the inventory alone. */
const WITH_INVENTORY: RefreshOptions = { refresh: ['inventory'], unhurried: true };
const WITHOUT_INVENTORY: RefreshOptions = { unhurried: true };

/** One observation, and when it was made. */
interface TimedSnapshot {
  readonly snapshot: CollectedSnapshot;
  readonly nowMs: number;
}

/** Observes; lists the inventory too when it is due, and in any case from when the soak may be complete. */
function openObserver(
  clock: ActivityClock,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: SoakInput,
): (completeAtMs: number) => Promise<TimedSnapshot> {
  let { firstSeen, observationId } = input;
  let listedAtMs = -Infinity;
  return async (completeAtMs) => {
    const request = { ...input, firstSeen, observationId };
    const beganMs = clock.nowMs();
    const isDue = beganMs - listedAtMs >= LONGEST_INTERVAL_MS || beganMs < listedAtMs;
    const wanted = isDue ? WITH_INVENTORY : WITHOUT_INVENTORY;
    const seen = await memory.snapshot(connection, clock, request, wanted);
    const nowMs = clock.nowMs();
    ({ firstSeen, observationId } = seen);
    if (!isDue && nowMs < completeAtMs) return { snapshot: seen, nowMs };
    listedAtMs = beganMs;
    const whole = isDue
      ? seen
      : await memory.refreshSnapshot(connection, seen, request, WITH_INVENTORY);
    ({ observationId } = whole);
    return { snapshot: whole, nowMs };
  };
}

function openSoak(
  own: Pick<ActivityDependencies, 'clock' | 'build'>,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: SoakInput,
  before: SoakProgress | null,
): Soak {
  let progress = before ?? input.progress;
  let then: readonly LoadBalancer[] | null = null;
  /** When everything was measured and passed last; null after anything else. */
  let passedAtMs: number | null = null;
  const patience = openPatience(input);
  const observe = openObserver(own.clock, memory, connection, input);
  const mayCompleteAtMs = (): number =>
    passedAtMs === null ? Infinity : passedAtMs + input.soakMs - (progress?.soakedMs ?? 0);
  return {
    unmeasuredMs: patience.unmeasuredMs,
    sample: async () => {
      const { snapshot, nowMs } = await observe(mayCompleteAtMs());
      progress ??= { soakedMs: 0, inventory: snapshot.observation.inventory, orphanedMs: 0 };
      then ??= snapshot.cached.loadBalancers;
      const sinceMs = Math.max(0, nowMs - (passedAtMs ?? nowMs));
      const hard = judge(snapshot, then, progress, sinceMs, input);
      const verdicts = [...hard, ...softVerdicts(snapshot, input)];
      const passed = !verdicts.some(holdsRun);
      progress = {
        ...progress,
        soakedMs: progress.soakedMs + (passed ? creditedMs(passedAtMs ?? nowMs, nowMs, input) : 0),
        // Nothing seen in between says that someone owned the controllers.
        orphanedMs: isOrphaned(snapshot, input) ? progress.orphanedMs + sinceMs : 0,
      };
      passedAtMs = passed ? nowMs : null;
      patience.sampled(passed, nowMs);
      return {
        ...decided(own, snapshot, input, isGuarded(snapshot.fence, input)),
        verdicts,
        complete: passed && progress.soakedMs >= input.soakMs,
        progress,
      };
    },
  };
}

/** How long something could not be measured in a row, as its samples count time. */
function openPatience(input: SoakInput): {
  readonly sampled: (passed: boolean, nowMs: number) => void;
  readonly unmeasuredMs: () => number;
} {
  let failedAtMs: number | null = null;
  let unmeasuredMs = 0;
  return {
    unmeasuredMs: () => unmeasuredMs,
    sampled: (passed, nowMs) => {
      unmeasuredMs = passed ? 0 : unmeasuredMs + creditedMs(failedAtMs ?? nowMs, nowMs, input);
      failedAtMs = passed ? null : nowMs;
    },
  };
}

/** Those that count for this direction of the run. */
function softVerdicts(snapshot: CollectedSnapshot, input: SoakInput): readonly GateVerdict[] {
  const { target, waivedGates = [] } = input.decide;
  return passesSoftGates(target)
    ? []
    : countingVerdicts(metricVerdicts(snapshot, input), waivedGates);
}

function judge(
  snapshot: CollectedSnapshot,
  then: readonly LoadBalancer[] | null,
  progress: SoakProgress,
  sinceMs: number,
  input: SoakInput,
): readonly GateVerdict[] {
  const { policy } = input;
  return hardGates(snapshot.observation, {
    controllers: policy.lock.controllers,
    nodes: policy.nodes,
    orphanMs: isOrphaned(snapshot, input) ? progress.orphanedMs + sinceMs : 0,
    orphanBudgetMs: policy.orphanBudgetMs,
    inventory: sinceInventory(progress.inventory, then, snapshot.cached.loadBalancers),
  });
}

function isOrphaned({ observation }: CollectedSnapshot, { policy }: SoakInput): boolean {
  return clusterOwner(observation, policy.lock.controllers) === 'none';
}

function remembered(details: unknown): SoakProgress | null {
  if (typeof details !== 'object' || details === null) return null;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own heartbeat of the attempt before; the mark tells it from anything else
  return 'soak' in details && details.soak === 1 ? (details as unknown as SoakProgress) : null;
}
