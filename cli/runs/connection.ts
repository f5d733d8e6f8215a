import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from '@temporalio/client';
import { Client, Connection } from '@temporalio/client';
import { DATA_CONVERTER } from '../../config/data-converter.js';
import { readWorkerEnvironment } from '../../config/environment.js';
import type { Cli, Environment } from '../cli.js';
import { Refusal, WrongUsage } from '../refusal.js';
import type { ServerAddress } from './server-address.js';
import { serverAddress } from './server-address.js';

const CREDENTIALS: readonly string[] = [
  'TEMPORAL_API_KEY_FILE',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_KEY',
];
const CONNECT_WITHIN_MS = 3_000;

/** Uses a Temporal client for the time of one command and closes it, whatever happens. */
export async function withTemporal<T>(cli: Cli, use: (client: Client) => Promise<T>): Promise<T> {
  const server = await serverAddress(cli);
  cli.signal.throwIfAborted();
  if (server.found) cli.terminal.err(`Temporal ${server.address}, of ${server.source}\n`);
  return withServer(server, cli.env, use);
}

export async function withServer<T>(
  server: ServerAddress,
  env: Environment,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await connect(server, env);
  try {
    return await use(
      new Client({ connection, namespace: server.namespace, dataConverter: DATA_CONVERTER }),
    );
  } finally {
    await connection.close();
  }
}

async function connect(server: ServerAddress, env: Environment): Promise<Connection> {
  const options = await connectionOptions(server, env);
  try {
    return await Connection.connect(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal('CCM4020', `no Temporal server answers at ${server.address} (${reason})`, {
      ending: 'failed',
      fix: `Check the address (it came from ${server.source}), or start \`ccm-migrate dev\`.`,
    });
  }
}

/**
 * The same variables, and the same refusal of plain text over a network, as a worker's. Whoever can put a file into the
 * current folder is given no credentials.
 */
async function connectionOptions(
  { address, found }: ServerAddress,
  env: Environment,
): Promise<ConnectionOptions> {
  const ours = Object.entries(env).filter(
    ([name]) =>
      /^(TEMPORAL_|CCM_MIGRATE_TEMPORAL_)/.test(name) && !(found && CREDENTIALS.includes(name)),
  );
  const read = readWorkerEnvironment({
    ...Object.fromEntries(ours),
    TEMPORAL_ADDRESS: address,
    CCM_MIGRATE_INVENTORY: 'not used',
    CCM_MIGRATE_STATE_DIR: 'not used',
  });
  if (read.kind === 'invalid') throw new WrongUsage(read.problems.join('\n'));
  const { temporal } = read.environment;
  const [ca, crt, key, apiKey] = await Promise.all(
    [temporal.authorityFile, temporal.certificateFile, temporal.keyFile, temporal.apiKeyFile].map(
      async (path) => (path === '' ? undefined : readFile(path)),
    ),
  );
  const tls = {
    ...(ca === undefined ? {} : { serverRootCACertificate: ca }),
    ...(crt === undefined || key === undefined ? {} : { clientCertPair: { crt, key } }),
  };
  return {
    address,
    connectTimeout: CONNECT_WITHIN_MS,
    ...(temporal.encrypted ? { tls } : {}),
    ...(apiKey === undefined ? {} : { apiKey: apiKey.toString('utf8').trim() }),
  };
}
