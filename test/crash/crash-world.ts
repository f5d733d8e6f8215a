import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import {
  DEMO_CLUSTER,
  SOURCE_VERSION,
  TARGET_VERSION,
  writeFleet,
} from '../../cli/demo/fleet-files.js';
import { findTemporalCli } from '../../cli/dev-server/find-temporal-cli.js';
import type { DevServer, DevServerOptions } from '../../cli/dev-server/start-dev-server.js';
import { startDevServer } from '../../cli/dev-server/start-dev-server.js';
import { inspectCluster } from '../../cli/plan/inspect-cluster.js';
import type { Child } from '../../cli/processes/child.js';
import { startSimulator } from '../../cli/processes/simulator-process.js';
import { startWorker } from '../../cli/processes/worker-process.js';
import type { Fleet } from '../../config/fleet.js';
import { loadFleets } from '../../config/fleet.js';
import type { RunTimings } from '../../activities/contract.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { ClusterObservation } from '../../domain/observation.js';
import { CRASH_SETTINGS, CRASH_TIMINGS, SOAK_SECONDS } from './settings.js';
import type { SimulatorDoor } from './simulator-door.js';
import { openDoor } from './simulator-door.js';

/** One cluster, one worker and one Temporal server, as processes of their own. */
export interface CrashWorld {
  readonly name: string;
  readonly fleet: Fleet;
  readonly uid: string;
  readonly client: Client;
  readonly door: SimulatorDoor;
  readonly evidenceDir: string;
  readonly folder: string;
  /** SIGKILL, and waits until the process is gone. */
  killWorker(): Promise<void>;
  startWorker(): Promise<void>;
  /** SIGKILL of the server, and a new one on the same database and port. */
  replaceServer(): Promise<void>;
  look(): Promise<ClusterObservation>;
  close(): Promise<void>;
}

export interface WorldOrder {
  readonly name: string;
  readonly seed: number;
  readonly nodes: number;
  readonly policy?: Partial<MigrationPolicy>;
  readonly timings?: Partial<RunTimings>;
}

type Undo = () => Promise<unknown>;

/** Starts everything; what was started is ended again when a part of it fails. */
export async function openWorld(order: WorldOrder): Promise<CrashWorld> {
  const undo: Undo[] = [];
  const close = async (): Promise<void> => {
    for (const each of undo.splice(0).reverse()) await each().catch(() => undefined);
  };
  try {
    return await openParts(order, undo, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(
  order: WorldOrder,
  undo: Undo[],
  close: () => Promise<void>,
): Promise<CrashWorld> {
  const folder = await mkdtemp(join(tmpdir(), `ccm-migrate-crash-${order.name}-`));
  if (process.env['CCM_TEST_CRASH_KEEP'] === undefined) {
    undo.push(() => rm(folder, { recursive: true, force: true }));
  }
  const server = await openServer(folder, undo);
  const simulator = await openSimulator(order, folder, undo);
  const fleet = await openFleet(order, folder, simulator.inventoryPath);
  const [cluster] = fleet.clusters;
  if (cluster === undefined) throw new Error('the simulator serves no cluster');
  const connection = await Connection.connect({ address: server.current().address });
  undo.push(() => connection.close());
  const look = () => inspectCluster(cluster, fleet, new AbortController().signal);
  const worker = openWorker(
    { folder, fleet, server: server.current(), region: cluster.region },
    undo,
  );
  await worker.start();
  return {
    name: order.name,
    ...{ fleet, folder, close, evidenceDir: join(folder, 'worker') },
    uid: (await look()).uid,
    client: new Client({ connection, namespace: server.current().namespace }),
    door: openDoor(await readFile(simulator.kubeconfigs[DEMO_CLUSTER] ?? '', 'utf8'), folder),
    killWorker: worker.kill,
    startWorker: worker.start,
    replaceServer: server.replace,
    look: async () => (await look()).inspection.look.observation,
  };
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

async function openSimulator({ seed, nodes }: WorldOrder, folder: string, undo: Undo[]) {
  const stateDir = join(folder, 'simulator');
  await mkdir(stateDir, { recursive: true });
  const simulator = await startSimulator(
    {
      ...{ seed, nodes, speed: CRASH_SETTINGS.speed, port: 0, clusters: 1, preset: 'in-tree' },
      ...{ from: SOURCE_VERSION, to: TARGET_VERSION, stateDir },
    },
    { logFile: join(folder, 'simulator.log'), env: process.env, outlivesUs: false },
  );
  undo.push(() => simulator.child.stop());
  return simulator;
}

async function openFleet(
  { policy, timings }: WorldOrder,
  folder: string,
  inventory: string,
): Promise<Fleet> {
  const files = join(folder, 'fleet');
  await mkdir(files, { recursive: true });
  const [fleet] = await loadFleets(await writeFleet(files, inventory, CRASH_SETTINGS.speed));
  if (fleet === undefined) throw new Error('there is no fleet');
  return {
    ...fleet,
    policy: { ...fleet.policy, soakSeconds: SOAK_SECONDS, ...policy },
    timings: { ...fleet.timings, ...CRASH_TIMINGS, ...timings },
  };
}

interface WorkerPlace {
  readonly folder: string;
  readonly fleet: Fleet;
  readonly server: DevServer;
  readonly region: string;
}

function openWorker({ folder, fleet, server, region }: WorkerPlace, undo: Undo[]) {
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
    ...{ inventory: fleet.inventoryFile, stateDir: join(folder, 'worker') },
    logFile: join(folder, 'worker.log'),
  };
  const env = { ...process.env, CCM_MIGRATE_STICKY_MS: String(CRASH_SETTINGS.stickyMs) };
  return {
    kill,
    start: async () => {
      current = await startWorker(settings, env);
    },
  };
}
