import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Fleet, loadFleets } from '../../config/fleet.js';
import { inventoryPathsText } from '../../config/loaded-inventories.js';
import { findTemporalCli } from '../../devserver/find-temporal-cli.js';
import type { Child } from '../../devserver/processes/child.js';
import type { KeptAlive } from '../../devserver/processes/keep-alive.js';
import { keepAlive } from '../../devserver/processes/keep-alive.js';
import type { KeptServer } from '../../devserver/processes/kept-server.js';
import { keepServer } from '../../devserver/processes/kept-server.js';
import { endLeft, forgetStarted, noteStarted } from '../../devserver/processes/left-processes.js';
import { startWorker } from '../../devserver/processes/worker-process.js';
import { exportClosedRuns } from '../audit/export-ended.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { runInBackground } from '../own-programs.js';
import { type OwnAccess, ownAccess } from '../authority/own-access.js';
import { UsageError } from '../cli-error.js';
import type { ServerNote } from '../runs/server-note.js';
import { awaitWorkers } from '../runs/await-workers.js';
import { stateDirOf, withServer } from '../runs/connection.js';
import { noteFile } from '../runs/server-note.js';
import { aloneInFolder, privateFolder } from '../state-folder.js';

/** `dev`: a Temporal server with a file database and a worker for each region, until it is stopped. */
export async function dev(cli: Cli): Promise<ExitStatus> {
  const files = cli.options.texts('file');
  if (files.length === 0) throw new UsageError('-f is required: files or folders of the fleet');
  const fleets = await loadFleets(files);
  const root = resolve(stateDirOf(cli));
  if (cli.options.flag('background')) return inBackground(cli, files, root);
  return aloneInFolder(root, 'dev', () => serve(cli, fleets, root));
}

function inBackground(cli: Cli, files: readonly string[], root: string): Promise<ExitStatus> {
  const ports = [
    ['--port', cli.options.text('port')],
    ['--ui-port', cli.options.text('uiPort')],
  ].flatMap(([flag, value]) => (value === null || value === undefined ? [] : [flag ?? '', value]));
  return runInBackground(cli, {
    ...{ verb: 'dev', logFile: join(root, 'dev.log') },
    words: [...files.flatMap((path) => ['-f', path]), '--state-dir', root, ...ports],
    isReady: (line) => line.startsWith('State '),
  });
}

async function serve(cli: Cli, fleets: readonly Fleet[], root: string): Promise<ExitStatus> {
  const report = (line: string): void => cli.terminal.err(`${line}\n`);
  const started = join(root, 'started.jsonl');
  await endLeftIn(started, root, report);
  for (const folder of ['logs', 'worker', 'exports']) await privateFolder(join(root, folder));
  const { path } = await findTemporalCli({ env: cli.env, report });
  const server = await keepServer(
    {
      cliPath: path,
      dbFile: join(root, 'temporal.db'),
      logFile: join(root, 'logs', 'temporal.log'),
      uiPort: cli.options.count('uiPort') ?? 0,
      onSpawn: (pid) => noteStarted(started, 'server', pid),
      ...portOf(cli),
    },
    report,
  );
  const workers: KeptAlive[] = [];
  try {
    const inventories = fleets.flatMap(inventoryFilesOf);
    const access = await accessOf(cli, root);
    await note(root, server, { inventories: [...new Set(inventories)], access });
    for (const place of placesOf(fleets)) {
      workers.push(
        await keepAlive(() => startNoted(cli, { ...place, root, server, access }, started), report),
      );
    }
    await untilLeft(cli, server, { regions: placesOf(fleets).map(({ region }) => region), root });
    return 'reached';
  } finally {
    for (const worker of workers) await worker.stop();
    await server.stop();
    await rm(noteFile(root), { force: true });
    await forgetStarted(started);
  }
}

/** Says that it is ready once it is, and exports what ends. */
async function untilLeft(
  { env, signal, terminal }: Cli,
  server: KeptServer,
  { regions, root }: { readonly regions: readonly string[]; readonly root: string },
): Promise<void> {
  const { address, namespace } = server;
  const at = { address, namespace, source: 'dev', namespaceSource: 'dev', found: false } as const;
  const report = (line: string): void => terminal.err(`${line}\n`);
  await withServer(at, env, async (client) => {
    await awaitWorkers({ terminal, signal }, client, { regions, logs: join(root, 'logs') });
    terminal.out(welcome(server, root));
    await exportClosedRuns(client, { root, report }, signal);
  });
}

/** A killed `dev` leaves its server on the database: a second one beside it would write to the same file. */
async function endLeftIn(
  started: string,
  root: string,
  report: (line: string) => void,
): Promise<void> {
  const unproven = await endLeft(started, report);
  if (unproven.length === 0) return;
  throw new UsageError(
    `${root}: an earlier \`dev\` was killed, and its processes may still run (${unproven.join(', ')}): end them, or remove ${started} if they are others`,
  );
}

interface Place {
  readonly region: string;
  readonly inventory: string;
}

function inventoryFilesOf({ clusters }: Fleet): readonly string[] {
  return clusters.map(({ inventoryFile }) => inventoryFile);
}

/** One worker for each region: it takes the work of all clusters there, so it knows each of their inventories. */
function placesOf(fleets: readonly Fleet[]): readonly Place[] {
  const filesOf = new Map<string, Set<string>>();
  for (const { region, inventoryFile } of fleets.flatMap(({ clusters }) => clusters)) {
    const files = filesOf.get(region) ?? new Set();
    filesOf.set(region, files.add(inventoryFile));
  }
  return [...filesOf].map(([region, files]) => ({
    region,
    inventory: inventoryPathsText([...files]),
  }));
}

function startWorkerAt(
  cli: Cli,
  at: Place & {
    readonly root: string;
    readonly server: KeptServer;
    readonly access: OwnAccess | null;
  },
) {
  return startWorker(
    {
      address: at.server.address,
      namespace: at.server.namespace,
      inventory: at.inventory,
      region: at.region,
      stateDir: join(at.root, 'worker'),
      logFile: join(at.root, 'logs', `worker-${at.region}.log`),
      ...at.access,
    },
    cli.env,
  );
}

async function startNoted(
  cli: Cli,
  at: Parameters<typeof startWorkerAt>[1],
  started: string,
): Promise<Child> {
  const worker = await startWorkerAt(cli, at);
  noteStarted(started, 'worker', worker.pid);
  return worker;
}

/** A key and a policy of this folder's own, unless the environment names a policy. */
async function accessOf({ env }: Cli, root: string): Promise<OwnAccess | null> {
  const given = env['CCM_MIGRATE_ACCESS_POLICY'] ?? '';
  return given === '' ? ownAccess(join(root, 'access')) : null;
}

function portOf({ options }: Cli): { readonly port?: number } {
  const port = options.count('port');
  return port === null ? {} : { port };
}

async function note(
  root: string,
  { address, namespace, uiUrl }: KeptServer,
  {
    inventories,
    access,
  }: { readonly inventories: readonly string[]; readonly access: OwnAccess | null },
): Promise<void> {
  const evidenceDir = join(root, 'worker');
  const content: ServerNote = {
    ...{ address, namespace, uiUrl, evidenceDir, inventories },
    ...(access ?? {}),
  };
  await writeFile(noteFile(root), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

function welcome({ address, uiUrl }: KeptServer, root: string): string {
  return [
    `Temporal   ${address}`,
    `Web page   ${uiUrl ?? 'none'}`,
    `State      ${root} (database, evidence, logs, exports of ended runs)`,
    'Ctrl-C stops both; runs continue where they were when it is started again.',
    '',
  ].join('\n');
}
