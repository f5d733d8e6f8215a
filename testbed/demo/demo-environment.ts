import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fleet } from '../../config/fleet.js';
import { loadFleets } from '../../config/fleet.js';
import { type OwnAccess, ownAccess } from '../../cli/authority/own-access.js';
import { type Signer, readSigner } from '../../cli/authority/signing-key.js';
import type { Cli } from '../../cli/cli.js';
import { findTemporalCli } from '../../devserver/find-temporal-cli.js';
import type { KeptAlive } from '../../devserver/processes/keep-alive.js';
import type { KeptServer } from '../../devserver/processes/kept-server.js';
import { keepServer } from '../../devserver/processes/kept-server.js';
import { keepAlive } from '../../devserver/processes/keep-alive.js';
import { startWorker } from '../../devserver/processes/worker-process.js';
import type { ServerNote } from '../../cli/runs/server-note.js';
import { noteFile } from '../../cli/runs/server-note.js';
import type { DemoLayout } from './layout.js';
import type { DemoSettings } from './demo-settings.js';
import type { DemoCluster } from './demo-cluster.js';
import { labCluster, simulatedCluster } from './demo-cluster.js';

/** Everything that runs for one demo. `stop` ends it all, dependents first. */
export interface DemoEnvironment {
  readonly server: KeptServer;
  readonly cluster: DemoCluster;
  readonly fleet: Fleet;
  /** Signs what the demo asks for. */
  readonly signer: Signer;
  readonly workerPid: () => number;
  /** The worker's folder of evidence. */
  readonly evidenceDir: string;
  /** What happened to these processes meanwhile, newest last. */
  readonly notes: readonly string[];
  stop(): Promise<void>;
}

/** Starts cluster, Temporal dev server and worker as separate processes. Cleans up when one of them fails to start. */
export async function startEnvironment(
  cli: Cli,
  layout: DemoLayout,
  settings: DemoSettings,
): Promise<DemoEnvironment> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each().catch(() => undefined);
  };
  try {
    return await startParts(cli, { layout, settings, stops, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Parts {
  readonly layout: DemoLayout;
  readonly settings: DemoSettings;
  readonly stops: (() => Promise<void>)[];
  readonly stop: () => Promise<void>;
}

async function startParts(cli: Cli, parts: Parts): Promise<DemoEnvironment> {
  const { layout, settings, stops, stop } = parts;
  const notes: string[] = [];
  const report = reporter(cli, notes);
  const { path: cliPath } = await findTemporalCli({
    env: cli.env,
    report: (line) => cli.terminal.err(`${line}\n`),
  });
  cli.signal.throwIfAborted();
  const outlivesUs = settings.keep;
  const cluster = await startCluster(cli, parts);
  stops.push(() => cluster.stop());
  const logFile = join(layout.logs, 'temporal.log');
  const server = await keepServer(
    { cliPath, dbFile: layout.database, uiPort: 0, logFile, outlivesUs },
    report,
  );
  stops.push(() => server.stop());
  const [fleet] = await loadFleets(cluster.files);
  if (fleet === undefined) throw new Error('the demo has no fleet');
  const access = await ownAccess(layout.access);
  await noteServer(layout, server, { fleet, access });
  const worker = await startDemoWorker(cli, layout, { server, fleet, access, outlivesUs, report });
  stops.push(() => worker.stop());
  return {
    ...{ server, cluster, fleet, notes, stop },
    signer: await readSigner(access.signingKey),
    workerPid: () => worker.current().pid,
    evidenceDir: layout.worker,
  };
}

function startCluster(cli: Cli, { layout, settings }: Parts): Promise<DemoCluster> {
  switch (settings.environment) {
    case 'simulator':
      return simulatedCluster(cli, layout, settings);
    case 'lab':
      return labCluster(cli, layout, settings);
  }
}

/** On a screen the live tree shows the newest note; a line printed in between would break the tree. */
function reporter(cli: Cli, notes: string[]): (line: string) => void {
  return (line) => {
    notes.push(line);
    if (!cli.terminal.outIsScreen || cli.output !== 'text') cli.terminal.err(`${line}\n`);
  };
}

interface WorkerParts {
  readonly server: KeptServer;
  readonly fleet: Fleet;
  readonly access: OwnAccess;
  readonly outlivesUs: boolean;
  readonly report: (line: string) => void;
}

async function startDemoWorker(
  cli: Cli,
  layout: DemoLayout,
  { server, fleet, access, outlivesUs, report }: WorkerParts,
): Promise<KeptAlive> {
  const settings = {
    address: server.address,
    namespace: server.namespace,
    inventory: inventoryFileOf(fleet),
    stateDir: layout.worker,
    region: fleet.clusters[0]?.region ?? 'default',
    logFile: join(layout.logs, 'worker.log'),
    outlivesUs,
    ...access,
  };
  return keepAlive(() => startWorker(settings, cli.env), report);
}

/** A demo has one inventory. */
export function inventoryFileOf({ clusters: [cluster] }: Fleet): string {
  if (cluster === undefined) throw new Error('a fleet has at least one cluster');
  return cluster.inventoryFile;
}

/** Lets other commands find this server by the folder alone. */
async function noteServer(
  layout: DemoLayout,
  server: KeptServer,
  { fleet, access }: Pick<WorkerParts, 'fleet' | 'access'>,
): Promise<void> {
  const note: ServerNote = {
    address: server.address,
    namespace: server.namespace,
    uiUrl: server.uiUrl,
    evidenceDir: layout.worker,
    inventories: [inventoryFileOf(fleet)],
    ...access,
  };
  await writeFile(noteFile(layout.root), `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
}
