import { passesSoftGates } from '../domain/gates/waived-gates.js';
import { admitCommandOf } from './authority/admit-command.js';
import { type AskedFor, HARMLESS } from './authority/judge-run.js';
import { requireAuthority } from './authority/require-authority.js';
import { awaitClusterChange } from './await-change.js';
import { checkClusterStart } from './check-start.js';
import type {
  CheckInput,
  ClusterActivities,
  DecidedObservation,
  DecidedReport,
  GuardActivities,
  GuardInput,
  GuardReport,
  ObserveInput,
  PlannedStepInput,
  RunContext,
} from './contract.js';
import { awaitGuard, decided, isGuarded, requireKnownEffect } from './decided-observation.js';
import type { ActivityDependencies, ActivityScope, ClusterConnection } from './dependencies.js';
import { executeStep } from './execute/execute-step.js';
import { keepStartList } from './start-list.js';
import { closeClusterRun } from './fence/close-run.js';
import { restFenceOf } from './fence/read-fence.js';
import { takeClusterFence } from './fence/take-fence.js';
import { guardCluster } from './guard/guard-cluster.js';
import { rememberScope } from './guard/kept-memory.js';
import { type ObservationCache, createObservationCache } from './observe/observation-cache.js';
import { observeFirst } from './observe/first-observation.js';
import type { RunCheck } from '../domain/run/results.js';
import { requireCluster } from './require-cluster.js';
import { requireOwnRun } from './require-own-run.js';
import { soakCluster } from './soak.js';

/**
 * The activities of one worker. Each opens and releases its own connection. Outside a worker (tests, rehearsals) they run
 * with a hand-made `scope`.
 */
export function createActivities(dependencies: ActivityDependencies): ClusterActivities {
  const memory = createObservationCache();
  return {
    takeFence: onCluster(dependencies, async (own, connection, input) => {
      await requirePlannedOf(own, connection, input);
      return takeClusterFence(own, connection, input);
    }),
    checkStart: onCluster(dependencies, (own, connection, input) =>
      checkRequested(own, memory, connection, input),
    ),
    admitCommand: (input) => heartbeating(dependencies, input, (own) => admitCommandOf(own, input)),
    observeCluster: onCluster(dependencies, (own, connection, input) =>
      observeAndDecide(own, memory, connection, input),
    ),
    executeStep: onCluster(dependencies, (own, connection, input) =>
      stepAndDecide(own, memory, connection, input),
    ),
    awaitChange: onCluster(dependencies, (own, connection, input) =>
      awaitClusterChange(own, memory, connection, input),
    ),
    soak: onCluster(dependencies, (own, connection, input) =>
      soakCluster(own, memory, connection, input),
    ),
    restFence: onCluster(dependencies, (own, connection, input) =>
      restFenceOf(connection.api, input, { signal: own.scope().signal }),
    ),
    closeRun: onCluster(dependencies, async (own, connection, input) => {
      const report = await closeClusterRun(own, connection, input);
      memory.forget(input.runId);
      return report;
    }),
  };
}

/** Nothing about the cluster is told to those who may not ask for a run of it. */
async function checkRequested(
  own: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: CheckInput,
): Promise<RunCheck> {
  const { materials, decide } = input;
  const asked = { materials, decide, takeOver: null, isHarmless: false };
  await requireAuthority(own, input, asked, input.epoch > 0 ? 'AuthorityLost' : 'NotAuthorised');
  await requirePlanned(connection, input);
  return checkClusterStart(own, memory, connection, input);
}

async function observeAndDecide(
  own: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: ObserveInput,
): Promise<DecidedObservation> {
  await requireAuthority(own, input, HARMLESS, 'AuthorityLost');
  const start = memory.takeStart(input.runId);
  const scope = own.scope();
  const first = await observeFirst(connection, own.clock, scope, { ...input, start });
  // No other cluster has a fence with this run's id.
  if (first.fence?.runId !== input.runId) await requirePlanned(connection, input);
  const kept = memory.keep(input.runId, first);
  const { cloud } = connection;
  const snapshot = await keepStartList({ ...own, cloud }, input, kept, scope.signal);
  const guarded = isGuarded(snapshot.fence, input);
  const next = decided(own, snapshot, input, guarded);
  if (guarded || input.epoch === 0 || next.decision.next.kind === 'blocked') return next;
  return { ...next, guarded: await awaitGuard(own, connection.api, input) };
}

async function stepAndDecide(
  own: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: PlannedStepInput,
): Promise<DecidedReport> {
  requireKnownEffect(input);
  const { planned, decide, ...rest } = input;
  const allowed = await requireAuthority(own, input, stepAsks(input), 'AuthorityLost');
  const { target, waivedGates = [] } = decide;
  const report = await executeStep(own, memory, connection, {
    ...rest,
    step: planned.step,
    passesSoft: passesSoftGates(target),
    waivedGates,
    ...(allowed === null ? {} : { accessVersion: allowed.version, decide }),
  });
  // It wrote, so its fence was open.
  return { ...report, ...decided(own, report, input, true) };
}

/** A repair ends what must not be, and needs no standing of who asked for the run. */
function stepAsks({ materials, decide, planned }: PlannedStepInput): AskedFor {
  const isHarmless = planned.step.phase === 'repair';
  return { materials, decide, takeOver: null, isHarmless };
}

/** The guard, for its own task queue. */
export function createGuardActivities(dependencies: ActivityDependencies): GuardActivities {
  return {
    guardCluster: async (input) => {
      const kept = rememberScope(dependencies.scope());
      try {
        return await guardOnce({ ...dependencies, scope: () => kept.scope }, input);
      } catch (error) {
        throw kept.failed(error);
      }
    },
  };
}

function guardOnce(dependencies: ActivityDependencies, input: GuardInput): Promise<GuardReport> {
  return onCluster<GuardInput, GuardReport>(dependencies, async (own, connection, given) => {
    await requireAuthority(own, given, HARMLESS, 'AuthorityLost');
    await requirePlanned(connection, given);
    return guardCluster(own, connection, given);
  })(input);
}

/** Which cluster answers instead of the planned one is not told to those who may not ask for a run of it. */
async function requirePlannedOf(
  own: ActivityDependencies,
  connection: ClusterConnection,
  input: RunContext,
): Promise<void> {
  try {
    await requirePlanned(connection, input);
  } catch (error) {
    await requireAuthority(own, input, HARMLESS, 'NotAuthorised');
    throw error;
  }
}

/**
 * Checked before the fence is taken; afterwards the fence itself, with this run's id and epoch, identifies the cluster.
 */
function requirePlanned({ api }: ClusterConnection, input: RunContext): Promise<void> {
  return requireCluster(api, input.cluster, { timeoutMs: input.timings.requestMs });
}

/** One attempt on a cluster, with a connection of its own. */
function onCluster<I extends RunContext, R>(
  dependencies: ActivityDependencies,
  work: (own: ActivityDependencies, connection: ClusterConnection, input: I) => Promise<R>,
): (input: I) => Promise<R> {
  return (input) =>
    heartbeating(dependencies, input, async (own, isRetry) => {
      const connection = await dependencies.connect(input.cluster);
      try {
        // The attempt before it may have written, on another worker, without a report of it.
        return await work(
          own,
          connection,
          isRetry ? { ...input, observationId: undefined } : input,
        );
      } finally {
        await connection.close();
      }
    });
}

/** One attempt in the name of its run, of which the server notices within seconds when its worker is gone. */
async function heartbeating<R>(
  dependencies: ActivityDependencies,
  input: RunContext,
  work: (own: ActivityDependencies, isRetry: boolean) => Promise<R>,
): Promise<R> {
  const scope = dependencies.scope();
  await requireOwnRun(scope, input);
  const kept = keepHeartbeat(scope, input.timings.heartbeatMs);
  try {
    return await work({ ...dependencies, scope: () => kept.scope }, scope.isRetry === true);
  } finally {
    kept.stop();
  }
}

/** A scope that heartbeats by itself, and how to stop it. */
export interface KeptHeartbeat {
  readonly scope: ActivityScope;
  stop(): void;
}

/**
 * Repeats the last heartbeat while an activity waits: for a machine, a long request, the next sample of a soak. A heartbeat
 * of the activity itself postpones the repetition. Every request has a deadline, so a hanging attempt still ends. Before its
 * own first heartbeat it repeats that of the previous attempt, so that no state is lost.
 */
export function keepHeartbeat(scope: ActivityScope, heartbeatMs: number): KeptHeartbeat {
  let last = scope.lastHeartbeat;
  const timer = setInterval(() => {
    scope.heartbeat(last);
  }, heartbeatMs / 3);
  timer.unref();
  return {
    scope: {
      signal: scope.signal,
      lastHeartbeat: scope.lastHeartbeat,
      heartbeat: (details) => {
        last = details;
        timer.refresh();
        scope.heartbeat(details);
      },
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
