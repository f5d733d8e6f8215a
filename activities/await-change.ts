import { decideRun } from '../domain/decision/decide-run.js';
import type { RunDecision } from '../domain/decision/run-decision.js';
import { hardGates, notPassed } from '../domain/gates/hard-gates.js';
import { passesSoftGates } from '../domain/gates/waived-gates.js';
import type { AwaitChangeInput } from './contract.js';
import { isGuarded } from './decided-observation.js';
import type { ActivityClock, ActivityDependencies, ClusterConnection } from './dependencies.js';
import { openBreaches, restFenceOf } from './fence/read-fence.js';
import type { ObservationCache } from './observe/observation-cache.js';
import { ALL_CACHED_READS } from './observe/cached-reads.js';
import type { CollectedSnapshot } from './observe/collect-snapshot.js';
import { isSettled } from './observe/collect-snapshot.js';
import type { RunChange } from '../domain/run/results.js';

/** Observations of a hold are this many guard intervals apart. */
const INTERVALS = 5;
/**
 * Every this many observations the cached reads are refreshed too: a cure there must not go unnoticed for a wait of a
 * day.
 */
const WHOLE_EVERY = 6;
/** After each recurring hold the healthy time doubles, up to this many times. */
const MOST_DOUBLINGS = 5;

/**
 * Waits until a hold may end: the decision changed, its cause has passed, or the guard is running. Observes at bounded
 * intervals: no API watch shows most of what matters (files, processes), and a watch on Leases fires at each renewal. Read
 * only, except for the hint in our fence that it needs no frequent renewal now.
 */
export async function awaitClusterChange(
  dependencies: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: AwaitChangeInput,
): Promise<RunChange> {
  const { clock, scope: openScope } = dependencies;
  const scope = openScope();
  const wait = openWait(clock, memory, connection, input);
  await restFenceOf(connection.api, input, { signal: scope.signal });
  for (let count = 0; ; count += 1) {
    const isLast = clock.nowMs() >= wait.deadline;
    const ended = await wait.observe(count % WHOLE_EVERY === 0 || isLast);
    if (ended !== null) return ended;
    scope.heartbeat({ progress: 'waiting for a change' });
    const pause = input.goal.kind === 'guarded' ? input.timings.guardMs : idlePause(input);
    await clock.sleep(Math.max(1, Math.min(pause, wait.deadline - clock.nowMs())), scope.signal);
  }
}

function idlePause({ timings }: AwaitChangeInput): number {
  return Math.min(timings.guardMs * INTERVALS, timings.guardIdleMs);
}

interface Wait {
  readonly deadline: number;
  /** Null while the wait continues. */
  readonly observe: (whole: boolean) => Promise<RunChange | null>;
}

function openWait(
  clock: ActivityClock,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: AwaitChangeInput,
): Wait {
  const began = clock.nowMs();
  const deadline = began + input.atMostMs;
  let { firstSeen, observationId } = input;
  let healthySinceMs: number | null = null;
  return {
    deadline,
    observe: async (whole) => {
      const refresh = whole ? ALL_CACHED_READS : [];
      const snapshot = await memory.snapshot(
        connection,
        clock,
        { ...input, firstSeen, observationId },
        { refresh, unhurried: input.goal.kind !== 'guarded' },
      );
      ({ firstSeen, observationId } = snapshot);
      const nowMs = clock.nowMs();
      const decision = decideRun(snapshot.observation, input.policy, input.decide);
      const health = healthOf(snapshot, input, curedBy(decision));
      healthySinceMs = health === 'bad' ? null : (healthySinceMs ?? nowMs);
      const seen: Seen = {
        snapshot,
        decision,
        waitedMs: nowMs - began,
        healthyMs: healthySinceMs === null ? 0 : nowMs - healthySinceMs,
        health,
      };
      const ended = isReached(input, seen) ?? (nowMs >= deadline ? 'timeUp' : null);
      return ended === null ? null : { ended, decision, firstSeen, observationId };
    },
  };
}

interface Seen {
  readonly snapshot: CollectedSnapshot;
  readonly decision: RunDecision;
  readonly waitedMs: number;
  readonly healthyMs: number;
  readonly health: Health;
}

function isReached(input: AwaitChangeInput, seen: Seen): RunChange['ended'] | null {
  const { goal } = input;
  switch (goal.kind) {
    case 'decision':
      return isChanged(goal.signature, input.atLeastMs, seen) ? 'changed' : null;
    case 'guarded':
      return isGuarded(seen.snapshot.fence, input) ? 'guarded' : null;
    case 'healed': {
      const settleMs = input.timings.settleMs * 2 ** Math.min(goal.heals, MOST_DOUBLINGS);
      // Two owners must not continue until the quiet period ends: what the next step cures, it cures now.
      if (seen.health === 'curable') return 'healed';
      return seen.health === 'good' && seen.healthyMs >= settleMs ? 'healed' : null;
    }
  }
}

/** What lets the run continue is reported at once; another hold reason only after the shortest wait. */
function isChanged(
  signature: string,
  atLeastMs: number,
  { decision, snapshot, waitedMs }: Seen,
): boolean {
  if (decision.signature === signature || !isSettled(snapshot)) return false;
  return decision.next.kind !== 'blocked' || waitedMs >= atLeastMs;
}

/** Ownership gates: where they are not the hold reason, the next step cures them. */
const OWNERSHIP: readonly string[] = ['CCM3001', 'CCM3002'];

/** `curable`: something is measured to be wrong, and the next step cures all of it. */
type Health = 'good' | 'curable' | 'bad';

function curedBy({ next }: RunDecision): readonly string[] {
  return next.kind === 'step' ? next.planned.step.cures : [];
}

/** The state of gates and fence, without acknowledged breaches. */
function healthOf(
  { observation, fence }: CollectedSnapshot,
  { policy, goal, decide: { target, waivedGates = [] } }: AwaitChangeInput,
  cured: readonly string[],
): Health {
  const heldFor = goal.kind === 'healed' ? goal.codes : [];
  const verdicts = hardGates(observation, {
    controllers: policy.lock.controllers,
    nodes: policy.nodes,
    orphanMs: policy.orphanBudgetMs + 1,
    orphanBudgetMs: policy.orphanBudgetMs,
    inventory: null,
  });
  const passing = { cures: cured, waivedGates, passesSoft: passesSoftGates(target) };
  const breaches = fence === null ? [] : openBreaches(fence, passing);
  const wrong = notPassed(verdicts).filter(
    ({ code, verdict }) =>
      verdict !== 'fail' || !OWNERSHIP.includes(code) || heldFor.includes(code),
  );
  const left = wrong.filter(({ code, verdict }) => verdict !== 'fail' || !cured.includes(code));
  if (left.length > 0 || breaches.length > 0) return 'bad';
  return wrong.length > 0 ? 'curable' : 'good';
}
