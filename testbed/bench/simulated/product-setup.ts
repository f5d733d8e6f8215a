import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import { noteFile } from '../../../cli/runs/server-note.js';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import { findTemporalCli } from '../../../devserver/find-temporal-cli.js';
import { freePort } from '../../../devserver/free-port.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import { keepServer } from '../../../devserver/processes/kept-server.js';
import { startSimulatorProcess } from '../../../devserver/processes/simulator-process.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { mustRun } from '../../../devserver/run-program.js';
import { demoLayout, type DemoLayout } from '../../demo/layout.js';
import { simulatorControl, type SimulatorControl } from '../../demo/simulator-control.js';
import { shapeText, type SimulatedGroup } from './fleet-texts.js';
import { startProbedWorker, type ProbedWorker } from './probed-worker-process.js';

export interface SetupContext {
  readonly env: Environment;
  readonly report: (line: string) => void;
  /** Keeps everything here; a folder that is removed afterwards unless given. */
  readonly folder: string | null;
  readonly seed: number;
}

/** The product around simulated clusters, each part a process of its own. */
export interface ProductSetup {
  readonly client: Client;
  readonly worker: ProbedWorker;
  readonly serverPid: () => number;
  /** By cluster. */
  readonly controls: ReadonlyMap<string, SimulatorControl>;
  /** Where the simulator listens for all clusters. */
  readonly simulatorPort: number;
  /** For fleets and plans. */
  readonly folder: string;
  readonly inventory: string;
  /** The worker's folder of evidence. */
  readonly evidenceDir: string;
  /** Runs the product's command line to its end. @throws Error with its last words. */
  readonly run: (...words: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** When it rejects, nothing is left running. */
export async function openSetup(
  groups: readonly SimulatedGroup[],
  context: SetupContext,
): Promise<ProductSetup> {
  const root = context.folder ?? (await mkdtemp(join(tmpdir(), 'ccm-migrate-bench-')));
  const layout = await demoLayout(root);
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closing.splice(0).reverse()) await each().catch(() => undefined);
    if (context.folder === null) await rm(root, { recursive: true, force: true });
  };
  try {
    return { ...(await openParts(groups, layout, context, closing)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(
  groups: readonly SimulatedGroup[],
  layout: DemoLayout,
  { env, report, seed }: SetupContext,
  closing: (() => Promise<void>)[],
): Promise<Omit<ProductSetup, 'close'>> {
  const { path: cliPath } = await findTemporalCli({ env, report });
  const simulator = await startShape(groups, layout, { env, seed });
  closing.push(() => simulator.child.stop());
  const logFile = join(layout.logs, 'temporal.log');
  const server = await keepServer({ cliPath, dbFile: layout.database, logFile }, report);
  closing.push(() => server.stop());
  const { address, namespace } = server;
  const inventory = simulator.inventoryPath;
  const note = { address, namespace, uiUrl: null, evidenceDir: layout.worker };
  const noted = JSON.stringify({ ...note, inventories: [inventory] });
  await writeFile(noteFile(layout.root), noted, { mode: 0o600 });
  const worker = await startProbedWorker(
    {
      ...{ address, namespace, inventory, stateDir: layout.worker, region: 'default' },
      ...{ logFile: join(layout.logs, 'worker.log'), metricsPort: await freePort('127.0.0.1') },
    },
    env,
  );
  closing.push(() => worker.child.stop());
  const connection = await Connection.connect({ address });
  closing.push(() => connection.close());
  const program = compiledProgram('cli', 'main.js');
  return {
    client: new Client({ connection, namespace, dataConverter: DATA_CONVERTER }),
    ...{ worker, inventory, folder: layout.config, evidenceDir: layout.worker },
    ...{ serverPid: () => server.pid() },
    controls: await controlsOf(simulator.kubeconfigs),
    simulatorPort: Number(new URL(simulator.url).port),
    run: (...words) => mustRun(process.execPath, [program, ...words], { env }),
  };
}

async function controlsOf(
  kubeconfigs: Readonly<Record<string, string>>,
): Promise<ProductSetup['controls']> {
  const controls = Object.entries(kubeconfigs).map(
    async ([name, file]) => [name, await simulatorControl(file)] as const,
  );
  return new Map(await Promise.all(controls));
}

async function startShape(
  groups: readonly SimulatedGroup[],
  layout: DemoLayout,
  { env, seed }: Pick<SetupContext, 'env' | 'seed'>,
): ReturnType<typeof startSimulatorProcess> {
  const shape = resolve(layout.root, 'shape.yaml');
  await writeFile(shape, shapeText(groups));
  return startSimulatorProcess(
    {
      ...{ seed, speed: 1, port: 0, nodes: 3, preset: 'in-tree', shape },
      ...{ from: SOURCE_VERSION, to: TARGET_VERSION, stateDir: layout.cluster },
    },
    { logFile: join(layout.logs, 'simulator.log'), env, outlivesUs: false },
  );
}
