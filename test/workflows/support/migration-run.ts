import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { clusterWorkflowId, CLUSTER_MIGRATION } from '../../../config/names.js';
import type { RunTimings } from '../../../activities/contract.js';
import type { clusterMigration } from '../../../workflows/cluster-migration.js';
import {
  commandSignal,
  outcomeUpdate,
  statusQuery,
  type ClusterMigrationInput,
  type ClusterStatus,
  type CommandAnswer,
  type OperatorCommand,
} from '../../../workflows/messages.js';
import { policyOf } from '../../support/cluster-builder.js';
import { modelActivities } from './model-activities.js';
import type { ModelCluster } from './model-cluster.js';

/** Short waits: nothing in a test waits for a real cloud. */
export const QUICK: RunTimings = {
  requestMs: 1000,
  effectMs: 2000,
  electionMs: 2000,
  pollMs: 100,
  fenceRenewMs: 500,
  fenceRenewIdleMs: 1000,
  guardMs: 250,
  orphanBudgetMs: 10_000,
  awaitChangeMs: 10_000,
  stepTimeoutMs: 20_000,
  heartbeatMs: 3000,
};

export type MigrationHandle = WorkflowHandleWithFirstExecutionRunId<typeof clusterMigration>;

/** One Temporal server for all files, one workflow bundle, and a task queue of each file's own. */
export interface MigrationLab {
  readonly environment: TestWorkflowEnvironment;
  readonly clusters: Map<string, ModelCluster>;
  readonly queue: string;
  /** Code of the workflow bundle. */
  readonly bundle: string;
  /** Runs `story` with a worker that serves workflows, steps and guards. */
  readonly withWorker: <T>(story: () => Promise<T>) => Promise<T>;
  readonly start: (
    cluster: ModelCluster,
    changes?: Partial<ClusterMigrationInput>,
  ) => Promise<MigrationHandle>;
  readonly close: () => Promise<void>;
}

export async function openLab(): Promise<MigrationLab> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
  const environment = await TestWorkflowEnvironment.createFromExistingServer({
    address: fromSetup('CCM_TEST_TEMPORAL_ADDRESS'),
  });
  const code = await readFile(fromSetup('CCM_TEST_WORKFLOW_BUNDLE'), 'utf8');
  const queue = `test-${randomUUID()}`;
  const clusters = new Map<string, ModelCluster>();
  const lab = { environment, clusters, queue, workers: new Set<Worker>() };
  return {
    ...lab,
    bundle: code,
    withWorker: (story) => withWorkers(lab, code, story),
    start: (cluster, changes) => startMigration(lab, cluster, changes ?? {}),
    close: async () => {
      // A story that failed may have left its workers behind.
      for (const worker of lab.workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await environment.teardown();
      await Runtime.instance().shutdown();
    },
  };
}

interface Lab extends Pick<MigrationLab, 'environment' | 'clusters' | 'queue'> {
  readonly workers: Set<Worker>;
}

async function withWorkers<T>(
  { environment, clusters, queue, workers }: Lab,
  code: string,
  story: () => Promise<T>,
): Promise<T> {
  const connection = environment.nativeConnection;
  const activities = modelActivities(clusters);
  const common = {
    connection,
    activities,
    maxHeartbeatThrottleInterval: '1s',
    shutdownForceTime: '2s',
    maxConcurrentActivityTaskExecutions: 320,
  } as const;
  const workflowWorker = await Worker.create({
    connection,
    taskQueue: queue,
    workflowBundle: { code },
    maxCachedWorkflows: 400,
  });
  const steps = await Worker.create({ ...common, taskQueue: `${queue}-steps` });
  const guards = await Worker.create({ ...common, taskQueue: `${queue}-guards` });
  for (const worker of [workflowWorker, steps, guards]) workers.add(worker);
  return workflowWorker.runUntil(() => steps.runUntil(() => guards.runUntil(story)));
}

async function startMigration(
  { environment, clusters, queue }: Lab,
  cluster: ModelCluster,
  changes: Partial<ClusterMigrationInput>,
): Promise<MigrationHandle> {
  clusters.set(cluster.name, cluster);
  const { uid } = cluster.observation.cluster;
  return environment.client.workflow.start<typeof clusterMigration>(CLUSTER_MIGRATION, {
    workflowId: clusterWorkflowId(uid),
    taskQueue: queue,
    args: [{ ...inputFor(cluster, queue), ...changes }],
  });
}

function inputFor(cluster: ModelCluster, queue: string): ClusterMigrationInput {
  return {
    cluster: { name: cluster.name, uid: cluster.observation.cluster.uid },
    region: 'test',
    fleet: 'fleet-1',
    wave: '1',
    target: 'ccm',
    policy: policyOf(),
    materials: { ccmManifest: 'kind: Pod' },
    planDigest: 'sha256:plan',
    actor: 'ana@corp',
    reason: 'test',
    ticket: '',
    timings: QUICK,
    stepTaskQueue: `${queue}-steps`,
    guardTaskQueue: `${queue}-guards`,
    answerWaitMs: 5000,
  };
}

/** Sends a command and asks what came of it, as the CLI does. */
export async function say(
  handle: MigrationHandle,
  verb: OperatorCommand['verb'],
  given: Partial<OperatorCommand> = {},
): Promise<CommandAnswer> {
  const commandId = await tell(handle, verb, given);
  return handle.executeUpdate(outcomeUpdate, { args: [commandId] });
}

/** Sends a command without waiting for anything. */
export async function tell(
  handle: MigrationHandle,
  verb: OperatorCommand['verb'],
  given: Partial<OperatorCommand> = {},
): Promise<string> {
  const commandId = given.commandId ?? randomUUID();
  await handle.signal(commandSignal, {
    verb,
    arguments: {},
    actor: 'ben@corp',
    reason: 'test story',
    ticket: '',
    ...given,
    commandId,
  });
  return commandId;
}

/** Asks for the status until it is as wanted. */
export async function until(
  handle: MigrationHandle,
  wanted: (status: ClusterStatus) => boolean,
): Promise<ClusterStatus> {
  for (let tries = 0; tries < 1200; tries += 1) {
    const status = await handle.query(statusQuery);
    if (wanted(status)) return status;
    await setTimeout(50);
  }
  throw new Error(`the run never came there: ${JSON.stringify(await handle.query(statusQuery))}`);
}

/** A door that stories close before a step and open when they have seen enough. */
export interface Door {
  /** Somebody stands before it. */
  readonly reached: Promise<void>;
  readonly pass: () => Promise<void>;
  readonly open: () => void;
}

export function door(): Door {
  let open: () => void = () => undefined;
  let reach: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  return {
    reached,
    open,
    pass: () => {
      reach();
      return opened;
    },
  };
}

export async function eventCount(handle: MigrationHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return events?.length ?? 0;
}

function fromSetup(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: the jest global setup did not run`);
  return value;
}
