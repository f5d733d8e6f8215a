import { hostname } from 'node:os';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { guardTaskQueue, stepTaskQueue, WORKFLOW_TASK_QUEUE } from '../config/names.js';
import type { ClusterActivities, GuardActivities } from '../activities/contract.js';
import type { Role } from './roles.js';
import type { WorkflowBundle } from './workflow-bundle.js';

export interface WorkerParts {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly region: string;
  /**
   * Clusters in flight at most. Guards and steps have as many slots each: a guard keeps its slot for the whole run, and a
   * run that waits for its cluster to change, or soaks, keeps the other for up to a day. With fewer, clusters that wait would starve one in a handover.
   */
  readonly clusterSlots: number;
  readonly stickyMs: number;
  readonly bundle: WorkflowBundle;
  readonly steps: ClusterActivities;
  readonly guards: GuardActivities;
}

/** Steps run to their own safe point in this time when the worker is told to go; then they are cancelled. */
const GRACE_MS = 8_000;
/** After this the process ends whatever still runs; the next worker finds unknown outcomes and looks. */
const FORCE_MS = 13_000;
/** A worker that was told to go is gone after this, whatever it still waits for. */
export const LEAVE_WITHIN_MS = 14_000;
/** About 1 MB each under load; a cluster that waits for people may be evicted and replayed. */
const CACHED_WORKFLOWS = 500;

/** The options of one Temporal worker in this process. */
export function workerOptions(role: Role, parts: WorkerParts): WorkerOptions {
  switch (role) {
    case 'workflows':
      return {
        ...common(role, parts),
        taskQueue: WORKFLOW_TASK_QUEUE,
        workflowBundle: { code: parts.bundle.code },
        maxCachedWorkflows: CACHED_WORKFLOWS,
        stickyQueueScheduleToStartTimeout: parts.stickyMs,
        maxConcurrentWorkflowTaskExecutions: 40,
        workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 20 },
        shutdownGraceTime: GRACE_MS,
      };
    case 'steps':
      return {
        ...common(role, parts),
        taskQueue: stepTaskQueue(parts.region),
        activities: parts.steps,
        maxConcurrentActivityTaskExecutions: parts.clusterSlots,
        activityTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 20 },
        shutdownGraceTime: GRACE_MS,
      };
    case 'guards':
      return {
        ...common(role, parts),
        taskQueue: guardTaskQueue(parts.region),
        activities: parts.guards,
        maxConcurrentActivityTaskExecutions: parts.clusterSlots,
        activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
        // A guard has nothing to finish: at once to the next worker.
        shutdownGraceTime: 0,
      };
  }
}

function common(
  role: Role,
  { connection, namespace, bundle }: WorkerParts,
): Pick<
  WorkerOptions,
  | 'connection'
  | 'namespace'
  | 'identity'
  | 'workerDeploymentOptions'
  | 'maxHeartbeatThrottleInterval'
  | 'defaultHeartbeatThrottleInterval'
  | 'shutdownForceTime'
> {
  return {
    connection,
    namespace,
    // Stamped on each workflow task: by it an audit finds the bundle that wrote a history.
    workerDeploymentOptions: {
      version: { deploymentName: 'ccm-migrate', buildId: bundle.digest },
      useWorkerVersioning: false,
    },
    identity: `ccm-migrate-${role}@${hostname()}#${String(process.pid)}`,
    // Cancellation reaches an activity with its heartbeats only: at the SDK's default it could take a minute.
    maxHeartbeatThrottleInterval: 1_000,
    defaultHeartbeatThrottleInterval: 1_000,
    shutdownForceTime: FORCE_MS,
  };
}
