import { awaitClusterChange } from './await-change.js';
import { closeClusterRun } from './close-run.js';
import type { ClusterActivities, GuardActivities, RunContext } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import { executeStep } from './execute/execute-step.js';
import { guardCluster } from './guard/guard-cluster.js';
import { observeSettled } from './observe/observe-cluster.js';
import { createSlowMemory } from './observe/slow-memory.js';
import { requireCluster } from './require-cluster.js';
import { soakCluster } from './soak.js';
import { takeClusterFence } from './take-fence.js';

/**
 * The activities of one worker. Each connects for itself and lets go.
 * Outside a worker (tests, rehearsals) the same with a hand-made `scope`.
 */
export function createActivities(dependencies: ActivityDependencies): ClusterActivities {
  const memory = createSlowMemory();
  const at = <I extends RunContext, R>(
    work: (connection: ClusterConnection, input: I) => Promise<R>,
  ): ((input: I) => Promise<R>) => onCluster(dependencies, work);
  return {
    takeFence: at(async (connection, input) => {
      await requirePlanned(connection, input);
      return takeClusterFence(dependencies, connection, input);
    }),
    observeCluster: at(async (connection, input) => {
      const { clock } = dependencies;
      await requirePlanned(connection, input);
      const look = await observeSettled(connection, clock, dependencies.scope(), input);
      memory.remember(input.runId, look.slow);
      return { observation: look.observation, sightings: look.sightings };
    }),
    executeStep: at((connection, input) => executeStep(dependencies, memory, connection, input)),
    awaitChange: at((connection, input) =>
      awaitClusterChange(dependencies, memory, connection, input),
    ),
    soak: at((connection, input) => soakCluster(dependencies, memory, connection, input)),
    closeRun: at(async (connection, input) => {
      const report = await closeClusterRun(dependencies, connection, input);
      memory.forget(input.runId);
      return report;
    }),
  };
}

/** The guard, for its own task queue. */
export function createGuardActivities(dependencies: ActivityDependencies): GuardActivities {
  return {
    guardCluster: onCluster(dependencies, async (connection, input) => {
      await requirePlanned(connection, input);
      return guardCluster(dependencies, connection, input);
    }),
  };
}

/** Asked where no fence was taken yet; later the fence itself, with this run's id and epoch, tells the cluster. */
function requirePlanned({ api }: ClusterConnection, input: RunContext): Promise<void> {
  return requireCluster(api, input.cluster, { timeoutMs: input.timings.requestMs });
}

function onCluster<I extends RunContext, R>(
  dependencies: ActivityDependencies,
  work: (connection: ClusterConnection, input: I) => Promise<R>,
): (input: I) => Promise<R> {
  return async (input) => {
    const connection = await dependencies.connect(input.cluster);
    try {
      return await work(connection, input);
    } finally {
      await connection.close();
    }
  };
}
