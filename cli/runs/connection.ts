import type { Client, ConnectionOptions } from '@temporalio/client';
import { Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { readDataConverter } from '../../config/data-converter.js';
import { readWorkerEnvironment } from '../../config/environment.js';
import { openClient } from '../../config/temporal-client.js';
import { followToken, readToken } from '../../config/temporal-token.js';
import { inventoryPathsIn } from '../../config/loaded-inventories.js';
import type { Cli, Environment } from '../cli.js';
import { CliError, UsageError } from '../cli-error.js';
import { endedRetries, type EndedRetries } from './ended-retries.js';
import { noteFile, readNote, type NoteFound, type ServerNote } from './server-note.js';
import { namedRefusal, type RefusingServer } from './server-refusal.js';
import { readRegular } from '../../config/regular-file.js';

const CREDENTIALS: readonly string[] = [
  'TEMPORAL_API_KEY_FILE',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_KEY',
];
const CONNECT_WITHIN_MS = 3_000;

/** Opens a Temporal client for one command and always closes it. */
export async function withTemporal<T>(cli: Cli, use: (client: Client) => Promise<T>): Promise<T> {
  const server = await announcedServer(cli);
  cli.signal.throwIfAborted();
  return withServer(server, cli.env, use);
}

/** The server of a command; one that was merely found is named, because the operator did not. */
async function announcedServer(cli: Cli): Promise<ServerAddress> {
  const server = await serverAddress(cli);
  if (server.found) cli.terminal.err(`Temporal ${server.address}, of ${server.source}\n`);
  return server;
}

export async function withServer<T>(
  server: ServerAddress,
  env: Environment,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const retries = endedRetries();
  const dataConverter = await converterIn(env);
  const { options, leave } = await connectionOptions(server, env);
  try {
    const connection = await connect(server, { ...options, interceptors: [retries.interceptor] });
    return await used(connection, { ...server, dataConverter, retries }, use);
  } finally {
    leave();
  }
}

interface ServerUse extends RefusingServer {
  readonly dataConverter: DataConverter;
  readonly retries?: EndedRetries;
}

/** What the workers of the server encrypt with, too. */
async function converterIn(env: Environment): Promise<DataConverter> {
  return readDataConverter(env['CCM_MIGRATE_PAYLOAD_KEYS'] ?? '').catch((error: unknown) => {
    throw new UsageError(
      `CCM_MIGRATE_PAYLOAD_KEYS: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}

async function used<T>(
  connection: Connection,
  { dataConverter, retries, ...server }: ServerUse,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  try {
    return await use(openClient({ connection, namespace: server.namespace, dataConverter }));
  } catch (error) {
    throw namedRefusal(error, server);
  } finally {
    retries?.end();
    await connection.close();
  }
}

/**
 * A client that connects when it is first used, and again whenever the server is back: a server of ours starts, and answers, while
 * Temporal is away. `single` tries nothing again: between its attempts the other one rests up to 5 s, and no signal or end of the
 * connection reaches it there.
 */
export async function withLazyTemporal<T>(
  cli: Cli,
  use: (client: Client, single: Client) => Promise<T>,
): Promise<T> {
  const server = await announcedServer(cli);
  const serverUse = { ...server, dataConverter: await converterIn(cli.env) };
  const { options: given, leave } = await connectionOptions(server, cli.env);
  const options = {
    ...given,
    channelArgs: { 'grpc.max_reconnect_backoff_ms': RECONNECT_WITHIN_MS },
  };
  const retries = endedRetries();
  const withoutRetries = Connection.lazy({ ...options, interceptors: [] });
  const withRetries = Connection.lazy({ ...options, interceptors: [retries.interceptor] });
  return used(withoutRetries, serverUse, async (single) =>
    used(withRetries, { ...serverUse, retries }, async (client) => use(client, single)),
  ).finally(leave);
}

/** gRPC's own limit is two minutes. */
const RECONNECT_WITHIN_MS = 2_000;

async function connect(server: ServerAddress, options: ConnectionOptions): Promise<Connection> {
  try {
    return await Connection.connect(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('CCM4020', `no Temporal server answers at ${server.address} (${reason})`, {
      exitStatus: 'failed',
      fix: `Check the address (it came from ${server.source}), or start \`ccm-migrate dev\`.`,
    });
  }
}

/**
 * The same variables as a worker's, with the same refusal of plain text over a network. A note in the current folder
 * gets no credentials: anyone may have put it there.
 */
async function connectionOptions(
  { address, found }: ServerAddress,
  env: Environment,
): Promise<{ readonly options: ConnectionOptions; readonly leave: () => void }> {
  const ours = Object.entries(env).filter(
    ([name]) =>
      /^(TEMPORAL_|CCM_MIGRATE_TEMPORAL_)/.test(name) && !(found && CREDENTIALS.includes(name)),
  );
  const read = readWorkerEnvironment({
    ...Object.fromEntries(ours),
    TEMPORAL_ADDRESS: address,
    CCM_MIGRATE_INVENTORY: 'not used',
    CCM_MIGRATE_STATE_DIR: 'not used',
    CCM_MIGRATE_ACCESS_POLICY: 'not used',
  });
  if (read.kind === 'invalid') throw new UsageError(read.problems.join('\n'));
  const { temporal } = read.environment;
  const [ca, crt, key] = await Promise.all(
    [temporal.authorityFile, temporal.certificateFile, temporal.keyFile].map(async (path) =>
      path === '' ? undefined : readRegular(path),
    ),
  );
  const tls = {
    ...(ca === undefined ? {} : { serverRootCACertificate: ca }),
    ...(crt === undefined || key === undefined ? {} : { clientCertPair: { crt, key } }),
  };
  const { apiKey, leave } = await tokenIn(temporal.apiKeyFile);
  const options = {
    address,
    connectTimeout: CONNECT_WITHIN_MS,
    ...(temporal.encrypted ? { tls } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
  return { options, leave };
}

/** The token of each request is that of the file: watching a run may take days. */
async function tokenIn(
  path: string,
): Promise<{ readonly apiKey?: () => string; readonly leave: () => void }> {
  if (path === '') return { leave: () => undefined };
  let token = await readToken(path).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  const replace = (next: string): void => {
    token = next;
  };
  const leave = followToken(path, { first: token, replace, unreadable: () => undefined });
  return { apiKey: () => token, leave };
}

/** Where runs live, and which setting named it. */
interface ServerAddress {
  readonly address: string;
  readonly namespace: string;
  readonly namespaceSource: string;
  readonly source: string;
  /** Not named by the operator: it is the note of a `dev` in the current folder. It gets no credentials. */
  readonly found: boolean;
}

const DEFAULT_STATE_DIR = '.ccm-migrate';

/**
 * Flags, then CCM_MIGRATE_*, then TEMPORAL_*, then what `dev` noted, then Temporal's own default.
 * `newFolder`: where evidence begins may be named before anything is in it.
 * @throws UsageError where `--state-dir` names a folder without a note: the next source would be another server
 */
export async function serverAddress(
  { options, env }: Cli,
  newFolder: 'refused' | 'allowed' = 'refused',
): Promise<ServerAddress> {
  const stateDir = stateDirOf({ options, env });
  const found = await readNote(stateDir);
  if (options.text('stateDir') !== null && options.text('address') === null)
    refuseWithoutNote(stateDir, found, newFolder);
  const note = found.kind === 'note' ? found.note : null;
  const noteHere = noteFile(stateDir);
  const isNamed = stateDir !== DEFAULT_STATE_DIR;
  const address = firstOf([
    [options.text('address'), '--address'],
    [env['CCM_MIGRATE_ADDRESS'], 'CCM_MIGRATE_ADDRESS'],
    // A folder named by a flag wins over the environment; one that merely exists here does not.
    [options.text('stateDir') === null ? null : note?.address, '--state-dir'],
    [env['TEMPORAL_ADDRESS'], 'TEMPORAL_ADDRESS'],
    [note?.address, noteHere],
    ['127.0.0.1:7233', 'default'],
  ]);
  const namespace = firstOf([
    [options.text('namespace'), '--namespace'],
    [env['CCM_MIGRATE_NAMESPACE'], 'CCM_MIGRATE_NAMESPACE'],
    [env['TEMPORAL_NAMESPACE'], 'TEMPORAL_NAMESPACE'],
    [note?.namespace, noteHere],
    ['default', 'default'],
  ]);
  return {
    ...{ address: address.value, source: address.source },
    ...{ namespace: namespace.value, namespaceSource: namespace.source },
    found: !isNamed && address.source === noteHere,
  };
}

function refuseWithoutNote(
  stateDir: string,
  found: NoteFound,
  newFolder: 'refused' | 'allowed',
): void {
  if (found.kind === 'note') return;
  if (found.kind === 'absent' && newFolder === 'allowed') return;
  throw new UsageError(
    `--state-dir ${stateDir} names no server: ${found.why}. Name the folder of a running \`dev\` or \`demo\`, or the server with --address`,
  );
}

export function stateDirOf({ options, env }: Pick<Cli, 'options' | 'env'>): string {
  return options.text('stateDir') ?? env['CCM_MIGRATE_STATE_DIR'] ?? DEFAULT_STATE_DIR;
}

/**
 * Where a worker started by hand keeps its evidence: with the evidence of `dev` or `demo` if the folder is theirs, so
 * that the chain continues; otherwise in the folder itself. Null when no folder is named.
 */
export async function evidenceFolder(cli: Pick<Cli, 'options' | 'env'>): Promise<string | null> {
  const folder = cli.options.text('stateDir') ?? cli.env['CCM_MIGRATE_STATE_DIR'] ?? null;
  return (await noteOf(cli))?.evidenceDir ?? folder;
}

/** The note of the `dev` or `demo` whose folder is meant; null without one. */
export async function noteOf(cli: Pick<Cli, 'options' | 'env'>): Promise<ServerNote | null> {
  const found = await readNote(stateDirOf(cli));
  return found.kind === 'note' ? found.note : null;
}

/** Where a command finds how clusters are reached: `-f`, the workers' variable, or the note of `dev`. */
export async function inventoryPaths(
  cli: Pick<Cli, 'options' | 'env'>,
): Promise<readonly string[]> {
  const files = cli.options.texts('file');
  if (files.length > 0) return files;
  const fromEnvironment = cli.env['CCM_MIGRATE_INVENTORY'];
  if (fromEnvironment !== undefined && fromEnvironment !== '')
    return inventoryPathsIn(fromEnvironment);
  return (await noteOf(cli))?.inventories ?? [];
}

function firstOf(candidates: readonly (readonly [string | null | undefined, string])[]): {
  readonly value: string;
  readonly source: string;
} {
  for (const [value, source] of candidates) {
    if (typeof value === 'string' && value !== '') return { value, source };
  }
  return { value: '', source: 'none' };
}
