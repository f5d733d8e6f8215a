import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_CLUSTER, writeFleet } from '../../testbed/demo/fleet-files.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../cli/kubernetes-versions.js';
import { startSimulatorProcess } from '../../devserver/processes/simulator-process.js';
import type { Fleet } from '../../config/fleet.js';
import { loadFleets } from '../../config/fleet.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { openRunParts, type RunParts, type Undo } from '../support/run-parts.js';
import { CRASH_SETTINGS, CRASH_TIMINGS, ORPHAN_BUDGET_MS, SOAK_SECONDS } from './settings.js';
import type { SimulatorProxy } from './simulator-proxy.js';
import { openProxy } from './simulator-proxy.js';
import type { RunTimings } from '../../domain/policy.js';

/** One cluster, one worker and one Temporal server, as separate processes. */
export interface CrashEnvironment extends RunParts {
  readonly name: string;
  readonly proxy: SimulatorProxy;
  /** Of any of its clusters, by name. */
  proxyOf(cluster: string): Promise<SimulatorProxy>;
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  readonly name: string;
  readonly seed: number;
  readonly nodes: number;
  readonly policy?: Partial<MigrationPolicy>;
  readonly timings?: Partial<RunTimings>;
  /** 1 by default; the environment's own cluster is the first. */
  readonly clusters?: number;
  /** Runs guards in a separate process with so many slots; it is not started. */
  readonly guardSlots?: number;
}

/** Starts everything; when a part fails, what was started is stopped again. */
export async function openEnvironment(order: EnvironmentOptions): Promise<CrashEnvironment> {
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
  order: EnvironmentOptions,
  undo: Undo[],
  close: () => Promise<void>,
): Promise<CrashEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), `ccm-migrate-crash-${order.name}-`));
  if (process.env['CCM_TEST_CRASH_KEEP'] === undefined) {
    undo.push(() => rm(folder, { recursive: true, force: true }));
  }
  const simulator = await openSimulator(order, folder, undo);
  const fleet = await openFleet(order, folder, simulator.inventoryPath);
  const { stickyMs } = CRASH_SETTINGS;
  const { guardSlots } = order;
  const slots = guardSlots === undefined ? {} : { guardSlots };
  const parts = await openRunParts({ folder, fleet, stickyMs, ...slots }, undo);
  const proxyOf = async (cluster: string): Promise<SimulatorProxy> =>
    openProxy(await readFile(simulator.kubeconfigs[cluster] ?? '', 'utf8'), folder);
  return {
    ...parts,
    ...{ name: order.name, close, proxyOf },
    proxy: await proxyOf(DEMO_CLUSTER),
  };
}

async function openSimulator(
  { seed, nodes, clusters = 1 }: EnvironmentOptions,
  folder: string,
  undo: Undo[],
) {
  const stateDir = join(folder, 'simulator');
  await mkdir(stateDir, { recursive: true });
  const simulator = await startSimulatorProcess(
    {
      ...{ seed, nodes, speed: CRASH_SETTINGS.speed, port: 0, clusters, preset: 'in-tree' },
      ...{ from: SOURCE_VERSION, to: TARGET_VERSION, stateDir },
    },
    { logFile: join(folder, 'simulator.log'), env: process.env, outlivesUs: false },
  );
  undo.push(() => simulator.child.stop());
  return simulator;
}

async function openFleet(
  { policy, timings }: EnvironmentOptions,
  folder: string,
  inventory: string,
): Promise<Fleet> {
  const files = join(folder, 'fleet');
  await mkdir(files, { recursive: true });
  const [fleet] = await loadFleets(await writeFleet(files, inventory, CRASH_SETTINGS.speed));
  if (fleet === undefined) throw new Error('there is no fleet');
  return {
    ...fleet,
    policy: {
      ...fleet.policy,
      soakSeconds: SOAK_SECONDS,
      orphanBudgetMs: ORPHAN_BUDGET_MS,
      ...policy,
    },
    timings: { ...fleet.timings, ...CRASH_TIMINGS, ...timings },
  };
}
