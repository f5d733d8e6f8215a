import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { WorkflowHandle, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import { clusterWorkflowId, CLUSTER_MIGRATION } from '../../../config/names.js';
import type { clusterMigration } from '../../../workflows/cluster-migration.js';
import {
  answerQuery,
  commandSignal,
  statusQuery,
  type ClusterMigrationInput,
  type ClusterStatus,
  type CommandAnswer,
  type OperatorCommand,
} from '../../../workflows/messages.js';
import { codeThatEncodes, encodedFailures } from '../../../workers/encode-failures.js';
import { policyOf } from '../../support/cluster-builder.js';
import { closingPlugin } from './closing-plugin.js';
import { modelActivities, type ModelRules } from './model-activities.js';
import type { ModelCluster } from './model-cluster.js';
import type { RunTimings } from '../../../domain/policy.js';

/** Short waits: no test waits for a real cloud. */
export const QUICK: RunTimings = {
  requestMs: 1000,
  effectMs: 2000,
  electionMs: 2000,
  pollMs: 100,
  fenceRenewMs: 500,
  fenceRenewIdleMs: 1000,
  guardMs: 250,
  guardIdleMs: 500,
  guardWaitMs: 2000,
  settleMs: 500,
  awaitChangeMs: 10_000,
  stepTimeoutMs: 20_000,
  heartbeatMs: 3000,
};

export type MigrationHandle = WorkflowHandleWithFirstExecutionRunId<typeof clusterMigration>;

/** One Temporal server for all files, one workflow bundle, and a separate task queue per file. */
export interface MigrationLab {
  readonly environment: TestWorkflowEnvironment;
  readonly clusters: Map<string, ModelCluster>;
  readonly queue: string;
  /** Code of the workflow bundle. */
  readonly bundle: string;
  /** Runs `story` with workers that serve these roles, all of them by default. */
  readonly withWorker: <T>(
    story: () => Promise<T>,
    roles?: readonly Role[],
    build?: Partial<Build>,
  ) => Promise<T>;
  readonly start: (
    cluster: ModelCluster,
    changes?: Partial<ClusterMigrationInput>,
  ) => Promise<MigrationHandle>;
  readonly close: () => Promise<void>;
}

/** `dataConverter` is how its workers and its client write and read payloads; `encodesFailures`: as a worker with keys. */
export async function openLab(
  dataConverter: DataConverter = {},
  encodesFailures = false,
): Promise<MigrationLab> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
  const retries = closingPlugin();
  const environment = await TestWorkflowEnvironment.createFromExistingServer({
    plugins: [retries.plugin],
    address: fromSetup('CCM_TEST_TEMPORAL_ADDRESS'),
    client: { dataConverter },
  });
  const code = await readFile(fromSetup('CCM_TEST_WORKFLOW_BUNDLE'), 'utf8');
  const queue = `test-${randomUUID()}`;
  const clusters = new Map<string, ModelCluster>();
  const workers = new Set<Worker>();
  const lab = { environment, clusters, queue, dataConverter, encodesFailures, workers };
  return {
    ...lab,
    bundle: code,
    withWorker: (story, roles = ROLES, build = {}) =>
      withWorkers(lab, { code, ...build }, story, roles),
    start: (cluster, changes) => startMigration(lab, cluster, changes ?? {}),
    close: async () => {
      // A failed story may have left its workers running.
      for (const worker of lab.workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      retries.end();
      await environment.teardown();
      await Runtime.instance().shutdown();
    },
  };
}

const ROLES = ['workflows', 'steps', 'waits', 'guards'] as const;
export type Role = (typeof ROLES)[number];

/** What a worker runs, where it is not simply the current code. */
export interface Build {
  /** Of the workflows. */
  readonly code: string;
  readonly decider: ModelRules;
  readonly deployment: WorkerDeploymentOptions;
}

interface Lab extends Pick<MigrationLab, 'environment' | 'clusters' | 'queue'> {
  readonly dataConverter: DataConverter;
  readonly encodesFailures: boolean;
  readonly workers: Set<Worker>;
}

async function withWorkers<T>(
  { environment, clusters, queue, dataConverter, encodesFailures, workers }: Lab,
  { code, decider, deployment }: Partial<Build> & Pick<Build, 'code'>,
  story: () => Promise<T>,
  roles: readonly Role[],
): Promise<T> {
  const connection = environment.nativeConnection;
  const activities = modelActivities(clusters, decider);
  const versioned = deployment === undefined ? {} : { workerDeploymentOptions: deployment };
  const common = {
    connection,
    dataConverter,
    activities,
    ...versioned,
    maxHeartbeatThrottleInterval: '1s',
    shutdownForceTime: '2s',
    maxConcurrentActivityTaskExecutions: 320,
    interceptors: { activity: encodesFailures ? [() => ({ inbound: encodedFailures })] : [] },
  } as const;
  const workflows = {
    connection,
    dataConverter,
    taskQueue: queue,
    ...versioned,
    workflowBundle: { code: encodesFailures ? codeThatEncodes(code) : code },
    maxCachedWorkflows: 400,
  } as const;
  const opened = await Promise.all(
    roles.map((role) =>
      Worker.create(
        role === 'workflows' ? workflows : { ...common, taskQueue: `${queue}-${role}` },
      ),
    ),
  );
  for (const worker of opened) workers.add(worker);
  const runAll = opened.reduce<() => Promise<T>>(
    (inner, worker) => () => worker.runUntil(inner),
    story,
  );
  return runAll();
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
    waitTaskQueue: `${queue}-waits`,
    guardTaskQueue: `${queue}-guards`,
  };
}

/** Sends a command and asks for its result, as the CLI does; `pending` when it still waits after some seconds. */
export async function say(
  handle: MigrationHandle,
  verb: OperatorCommand['verb'],
  given: Partial<OperatorCommand> = {},
): Promise<CommandAnswer> {
  const commandId = await tell(handle, verb, given);
  return answerTo(handle, commandId);
}

/** The result of a command, once it is no longer pending or some seconds have passed. */
export async function answerTo(handle: MigrationHandle, commandId: string): Promise<CommandAnswer> {
  const deadlineMs = Date.now() + ANSWER_WITHIN_MS;
  for (;;) {
    const late = Date.now() > deadlineMs;
    try {
      const answer = await handle.query(answerQuery, commandId);
      if (answer.state !== 'pending' || late) return answer;
    } catch (error) {
      // On a busy machine a worker may answer a query too late; asking again is free.
      if (late) throw error;
    }
    await setTimeout(50);
  }
}

const ANSWER_WITHIN_MS = 15_000;

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

/** Polls the status until it is as wanted. */
export function until(
  handle: MigrationHandle,
  wanted: (status: ClusterStatus) => boolean,
): Promise<ClusterStatus> {
  return eventually(() => handle.query(statusQuery), wanted);
}

/** Polls until the answer is as wanted. */
export async function eventually<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
): Promise<T> {
  for (let attempts = 0; attempts < 1200; attempts += 1) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    await setTimeout(50);
  }
  throw new Error(`it never came there: ${JSON.stringify(await ask())}`);
}

/** A gate that stories close before a step and open when they have observed enough. */
export interface MessageGate {
  /** A step waits at it. */
  readonly reached: Promise<void>;
  readonly pass: () => Promise<void>;
  readonly open: () => void;
}

export function messageGate(): MessageGate {
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

/** One execution of a run. */
export interface Execution {
  readonly runId: string;
  readonly events: number;
  readonly bytes: number;
}

/** All executions of a run in order, each with its history in the server. */
export async function chainOf(
  { environment }: Pick<MigrationLab, 'environment'>,
  { workflowId, firstExecutionRunId }: Pick<MigrationHandle, 'workflowId' | 'firstExecutionRunId'>,
): Promise<readonly Execution[]> {
  const chain: Execution[] = [];
  let runId: string | undefined = firstExecutionRunId;
  while (runId !== undefined) {
    const execution: WorkflowHandle = environment.client.workflow.getHandle(workflowId, runId);
    const [{ events }, { historySize }] = await Promise.all([
      execution.fetchHistory(),
      execution.describe(),
    ]);
    const continued = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    chain.push({ runId, events: events?.length ?? 0, bytes: historySize ?? 0 });
    const next: string | null | undefined = continued?.newExecutionRunId;
    runId = next === null || next === '' ? undefined : next;
  }
  return chain;
}

function fromSetup(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: the jest global setup did not run`);
  return value;
}
