import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OwnAccess, ownAccess } from '../../../cli/authority/own-access.js';
import type { Cli } from '../../../cli/cli.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import type { ServerNote } from '../../../cli/runs/server-note.js';
import { noteFile } from '../../../cli/runs/server-note.js';
import { loadFleets } from '../../../config/fleet.js';
import { findTemporalCli } from '../../../devserver/find-temporal-cli.js';
import type { KeptAlive } from '../../../devserver/processes/keep-alive.js';
import { keepAlive } from '../../../devserver/processes/keep-alive.js';
import type { KeptServer } from '../../../devserver/processes/kept-server.js';
import { keepServer } from '../../../devserver/processes/kept-server.js';
import type { SimulatorProcess } from '../../../devserver/processes/simulator-process.js';
import { startSimulatorProcess } from '../../../devserver/processes/simulator-process.js';
import { startWorker } from '../../../devserver/processes/worker-process.js';
import type { DemoLayout } from '../layout.js';
import type { SimulatorControl } from '../simulator-control.js';
import { simulatorControl } from '../simulator-control.js';

export interface DemoMember {
  readonly name: string;
  readonly region: string;
  readonly control: SimulatorControl;
}

/** Everything that runs for one demo or rehearsal of a fleet. `stop` ends it all, dependents first. */
export interface DemoFleet {
  /** Fleet, policy and inventory. */
  readonly files: readonly string[];
  readonly members: readonly DemoMember[];
  readonly server: KeptServer;
  readonly simulatorPid: number;
  /** One for each region. */
  readonly workers: ReadonlyMap<string, KeptAlive>;
  stop(): Promise<void>;
}

interface FleetSimulation {
  readonly keep: boolean;
  readonly seed: number;
  /** Simulated seconds per real second. */
  readonly speed: number;
  /** How each cluster was left; `in-tree` unless given. */
  readonly preset?: string;
}

export interface FleetParts {
  /** Its `config` has the files of one fleet, for an inventory called `simulator`, and `shape.yaml`. */
  readonly layout: DemoLayout;
  readonly settings: FleetSimulation;
  /** Called when a process ended and when it runs again. */
  readonly report: (line: string) => void;
}

/** Starts simulator, Temporal and a worker for each region. Cleans up when one of them fails to start. */
export async function startFleetEnvironment(cli: Cli, parts: FleetParts): Promise<DemoFleet> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each().catch(() => undefined);
  };
  try {
    return { ...(await startFleetParts(cli, parts, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startFleetParts(
  cli: Cli,
  { layout, settings, report }: FleetParts,
  stops: (() => Promise<void>)[],
): Promise<Omit<DemoFleet, 'stop'>> {
  const { path: cliPath } = await findTemporalCli({ env: cli.env, report });
  cli.signal.throwIfAborted();
  const outlivesUs = settings.keep;
  const simulator = await startShape(cli, layout, settings);
  stops.push(() => simulator.child.stop());
  const server = await keepServer(
    {
      ...{ cliPath, dbFile: layout.database, uiPort: 0, outlivesUs },
      logFile: join(layout.logs, 'temporal.log'),
    },
    report,
  );
  stops.push(() => server.stop());
  const access = await ownAccess(layout.access);
  await noteFleetServer(layout, server, { inventory: simulator.inventoryPath, access });
  const files = [layout.config, simulator.inventoryPath];
  const members = await membersOf(files, simulator);
  const workers = new Map<string, KeptAlive>();
  for (const region of new Set(members.map((member) => member.region))) {
    const launch = {
      ...{ server, layout, access, outlivesUs, region, inventory: simulator.inventoryPath },
    };
    const worker = await keepAlive(() => startRegionalWorker(cli, launch), report);
    stops.push(() => worker.stop());
    workers.set(region, worker);
  }
  return { files, members, server, workers, simulatorPid: simulator.child.pid };
}

function startShape(
  cli: Cli,
  layout: DemoLayout,
  { seed, speed, keep, preset = 'in-tree' }: FleetSimulation,
): Promise<SimulatorProcess> {
  return startSimulatorProcess(
    {
      ...{ seed, speed, port: 0, nodes: 3, preset },
      ...{ from: SOURCE_VERSION, to: TARGET_VERSION },
      ...{ shape: join(layout.config, 'shape.yaml'), stateDir: layout.cluster },
    },
    { logFile: join(layout.logs, 'simulator.log'), env: cli.env, outlivesUs: keep },
  );
}

async function membersOf(
  files: readonly string[],
  { kubeconfigs }: SimulatorProcess,
): Promise<readonly DemoMember[]> {
  const [fleet] = await loadFleets(files);
  if (fleet === undefined) throw new Error('there is no fleet to simulate');
  return Promise.all(
    fleet.clusters.map(async ({ name, region }) => ({
      ...{ name, region },
      control: await simulatorControl(kubeconfigs[name] ?? ''),
    })),
  );
}

interface RegionalLaunch {
  readonly server: KeptServer;
  readonly layout: DemoLayout;
  readonly access: OwnAccess;
  readonly outlivesUs: boolean;
  readonly region: string;
  readonly inventory: string;
}

function startRegionalWorker(
  cli: Cli,
  { server, layout, access, outlivesUs, region, inventory }: RegionalLaunch,
) {
  const { address, namespace } = server;
  const logFile = join(layout.logs, `worker-${region}.log`);
  return startWorker(
    {
      ...{ address, namespace, inventory, region, outlivesUs, logFile, stateDir: layout.worker },
      ...access,
    },
    cli.env,
  );
}

/** Lets every command find this server by the folder alone. */
async function noteFleetServer(
  layout: DemoLayout,
  { address, namespace, uiUrl }: KeptServer,
  { inventory, access }: Pick<RegionalLaunch, 'inventory' | 'access'>,
): Promise<void> {
  const note: ServerNote = {
    ...{ address, namespace, uiUrl },
    ...{ evidenceDir: layout.worker, inventories: [inventory], ...access },
  };
  await writeFile(noteFile(layout.root), `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
}
