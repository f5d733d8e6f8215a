import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { inspectFromHere } from '../../cli/plan/inspect-cluster.js';
import type { RunRequest } from '../../cli/runs/start-run.js';
import type { Fleet } from '../../config/fleet.js';
import { inventoryPathsText } from '../../config/loaded-inventories.js';
import { findTemporalCli } from '../../devserver/find-temporal-cli.js';
import type { Child } from '../../devserver/processes/child.js';
import { startWorker } from '../../devserver/processes/worker-process.js';
import type { DevServer, DevServerOptions } from '../../devserver/start-dev-server.js';
import { startDevServer } from '../../devserver/start-dev-server.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { planDigest, steadyObservation } from '../../domain/observation/plan-digest.js';
import type { Target } from '../../domain/vocabulary.js';

export interface Run {
  readonly workflowId: string;
  readonly runId: string;
}

/** What runs of one cluster need, whatever serves the cluster: worker and Temporal server as separate processes. */
export interface RunParts {
  readonly fleet: Fleet;
  readonly uid: string;
  readonly client: Client;
  /** `host:port` of the server. */
  readonly address: string;
  readonly evidenceDir: string;
  readonly folder: string;
  /** SIGKILL, and waits until the process is gone. */
  killWorker(): Promise<void>;
  startWorker(): Promise<void>;
  /** The guards' own process where they have one; else the only worker. */
  readonly guardWorker: WorkerProcess;
  /** SIGKILL of the server, and a new one on the same database and port. */
  replaceServer(): Promise<void>;
  snapshot(): Promise<ClusterObservation>;
}

export interface WorkerProcess {
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface PartsOptions {
  /** Database, logs and evidence go there. */
  readonly folder: string;
  readonly fleet: Fleet;
  /** How long a workflow waits for the dead worker that had it cached. */
  readonly stickyMs: number;
  /** Runs guards in a separate process with so many slots; it is not started. */
  readonly guardSlots?: number;
}

export type Undo = () => Promise<unknown>;

/** Everything is stopped, even if parts of it fail; the first failure is thrown. */
export async function endAll(undo: readonly Undo[]): Promise<void> {
  const failures: unknown[] = [];
  for (const each of [...undo].reverse()) {
    await each().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** Starts them; `undo` gets how each is stopped as soon as it runs. */
export async function openRunParts(
  { folder, fleet, stickyMs, guardSlots }: PartsOptions,
  undo: Undo[],
): Promise<RunParts> {
  const [cluster] = fleet.clusters;
  if (cluster === undefined) throw new Error('the fleet has no cluster');
  const server = await openServer(folder, undo);
  const connection = await Connection.connect({ address: server.current().address });
  undo.push(() => connection.close());
  const snapshot = () => inspectFromHere(cluster, fleet, new AbortController().signal);
  const place = { folder, fleet, server: server.current(), region: cluster.region, stickyMs };
  const apart = guardSlots !== undefined;
  const worker = openWorker(apart ? { ...place, roles: ALL_BUT_GUARDS } : place, undo);
  const guardWorker = apart
    ? openWorker({ ...place, roles: ['guards'], slots: guardSlots }, undo)
    : worker;
  await worker.start();
  return {
    ...{ fleet, folder, evidenceDir: join(folder, 'worker') },
    uid: (await snapshot()).uid,
    address: server.current().address,
    client: new Client({ connection, namespace: server.current().namespace }),
    killWorker: worker.kill,
    startWorker: worker.start,
    guardWorker,
    replaceServer: server.replace,
    snapshot: async () => (await snapshot()).inspection.snapshot.observation,
  };
}

export interface RunOptions {
  readonly target: Target;
  readonly actor: string;
  readonly reason: string;
}

/** The input that a run of this fleet's one cluster starts with, planned from the cluster's current state. */
export async function requestFor(
  { fleet, uid, snapshot }: Pick<RunParts, 'fleet' | 'uid' | 'snapshot'>,
  order: RunOptions,
): Promise<RunRequest> {
  const [cluster] = fleet.clusters;
  if (cluster === undefined) throw new Error('the fleet has no cluster');
  const { policy, materials, timings } = fleet;
  const observation = steadyObservation(await snapshot());
  const digest = planDigest({
    ...{ cluster: { uid }, target: order.target },
    ...{ policy, timings, materials, observation },
  });
  return {
    cluster: { name: cluster.name, uid },
    ...{ region: cluster.region, fleet: fleet.name, wave: '' },
    ...{ ...order, planDigest: digest, policy, materials, timings, ticket: '' },
  };
}

/** Every record of a run so far. */
export function evidenceOf(
  { evidenceDir }: Pick<RunParts, 'evidenceDir'>,
  run: Run,
): Promise<readonly EvidenceRecord[]> {
  return createFileEvidenceStore(evidenceDir).read(run);
}

async function openServer(folder: string, undo: Undo[]) {
  const { path: cliPath } = await findTemporalCli({ env: process.env, report: () => undefined });
  const options: DevServerOptions = {
    ...{ cliPath, dbFile: join(folder, 'temporal.db'), logFile: join(folder, 'temporal.log') },
  };
  let current: DevServer = await startDevServer(options);
  undo.push(() => current.stop());
  const port = Number(current.address.split(':').at(-1));
  return {
    current: () => current,
    replace: async () => {
      process.kill(current.pid, 'SIGKILL');
      await current.stop();
      current = await startDevServer({ ...options, port });
    },
  };
}

const ALL_BUT_GUARDS = ['workflows', 'fleets', 'steps', 'waits'];

interface WorkerPlace extends Omit<PartsOptions, 'guardSlots'> {
  readonly server: DevServer;
  readonly region: string;
  readonly roles?: readonly string[];
  readonly slots?: number;
}

function openWorker(given: WorkerPlace, undo: Undo[]): WorkerProcess {
  const { folder, fleet, server, region, stickyMs, roles, slots } = given;
  let current: Child | null = null;
  const kill = async (): Promise<void> => {
    if (current === null) return;
    process.kill(current.pid, 'SIGKILL');
    await current.ended;
    current = null;
  };
  undo.push(kill);
  const settings = {
    ...{ region, address: server.address, namespace: server.namespace },
    ...{
      inventory: inventoryPathsText([...new Set(fleet.clusters.map((one) => one.inventoryFile))]),
      stateDir: join(folder, 'worker'),
    },
    logFile: join(folder, `worker${roles === undefined ? '' : `-${roles.join('-')}`}.log`),
    ...(roles === undefined ? {} : { roles }),
  };
  const env = {
    ...process.env,
    CCM_MIGRATE_STICKY_MS: String(stickyMs),
    ...(slots === undefined ? {} : { CCM_MIGRATE_CLUSTER_SLOTS: String(slots) }),
  };
  return {
    kill,
    start: async () => {
      current = await startWorker(settings, env);
    },
  };
}
