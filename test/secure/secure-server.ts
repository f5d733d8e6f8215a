import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { findTemporalCli } from '../../devserver/find-temporal-cli.js';
import { findTemporalServer } from '../../devserver/find-temporal-server.js';
import { freePort } from '../../devserver/free-port.js';
import { packageFile } from '../../devserver/package-files.js';
import { mustRun, runProgram } from '../../devserver/run-program.js';
import { hasExited, stopProcess } from '../../devserver/stop-process.js';
import { scriptOf, secureComposeFile } from '../deployment/deployment-files.js';
import {
  DATABASE_PASSWORD,
  type PostgresServer,
  startPostgres,
} from '../support/postgres-server.js';
import { type Claims, type IdentityProvider, startIdentityProvider } from './identity-provider.js';

const NAMESPACE = 'ccm-migrate';
const HOST = '127.0.0.1';
const READY_WITHIN_MS = 120_000;

/** What docker-compose.secure.yml sets up, as processes of this machine. */
export interface SecureServer {
  readonly address: string;
  readonly database: PostgresServer;
  /** Folder with certificates. */
  readonly tls: string;
  readonly logFile: string;
  /** Variables of a client with this certificate and a token with these claims, null for none. */
  clientEnvironment(certificate: string, claims: Claims | null): Promise<Record<string, string>>;
  close(): Promise<void>;
}

const { services, configs } = secureComposeFile();

type Values = Readonly<Record<string, string>>;

/** The environment of a service of the compose files, with places of this machine for those of containers. */
function environmentOf(service: string, places: Values): Record<string, string> {
  const given = Object.entries(services[service]?.environment ?? {});
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      places[name] ?? value.replace('/tls/', places['tls'] ?? ''),
    ]),
  );
}

export async function startSecureServer(root: string): Promise<SecureServer> {
  const report = (): void => undefined;
  const programs = await findTemporalServer(process.env, report);
  const { path: cli } = await findTemporalCli({ env: process.env, report });
  const [bin, tls] = [join(root, 'bin'), join(root, 'tls')];
  await mkdir(bin);
  await symlink(programs.sqlTool, join(bin, 'temporal-sql-tool'));
  await symlink(cli, join(bin, 'temporal'));
  await mustRun('/bin/sh', [
    ...[packageFile('deploy', 'secure', 'make-certificates.sh'), tls],
    ...['ana', 'eve'],
  ]);
  const provider = await startIdentityProvider();
  const database = await startPostgres({
    ...{ certificate: join(tls, 'postgres.crt'), key: join(tls, 'postgres.key') },
    authority: join(tls, 'ca.crt'),
  });
  await database.asOwner(`CREATE ROLE temporal LOGIN CREATEDB PASSWORD '${DATABASE_PASSWORD}'`);
  const places = { tls: `${tls}/`, PATH: `${bin}:/usr/bin:/bin`, HOME: root };
  await prepareSchema(database, places);
  const running = await startServer(programs.server, { root, database, provider, places });
  const { address } = running;
  const clientEnvironment = clientsOf({ root, tls, address, provider });
  await prepareNamespace(running, clientEnvironment, places);
  return {
    ...{ address, database, tls, logFile: running.logFile, clientEnvironment },
    close: async () => {
      await running.stop();
      await Promise.all([provider.close(), database.close()]);
    },
  };
}

/** Runs what `temporal-schema` runs. */
async function prepareSchema({ worker }: PostgresServer, places: Values): Promise<void> {
  const env = environmentOf('temporal-schema', {
    ...places,
    ...{ SQL_HOST: HOST, SQL_PORT: String(worker.port), SQL_PASSWORD: DATABASE_PASSWORD },
  });
  await mustRun('/bin/sh', ['-euc', scriptOf(services['temporal-schema'])], {
    env: { ...env, PATH: places['PATH'] },
  });
}

/** PostgreSQL's table of the server's members holds ports as `smallint`. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

async function freePorts(): Promise<Values> {
  const found: [string, string][] = [];
  let next = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT - 1000));
  while (found.length < PORTS.length) {
    const port = await freePort(HOST, next++).catch(() => null);
    if (port !== null) found.push([PORTS[found.length] ?? '', String(port)]);
  }
  return Object.fromEntries(found);
}

const PORTS = [
  'FRONTEND_GRPC_PORT',
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'INTERNAL_FRONTEND_GRPC_PORT',
  'INTERNAL_FRONTEND_HTTP_PORT',
  'INTERNAL_FRONTEND_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
] as const;

interface ServerParts {
  readonly root: string;
  readonly database: PostgresServer;
  readonly provider: IdentityProvider;
  readonly places: Values;
}

interface RunningServer {
  readonly address: string;
  readonly logFile: string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Runs what `temporal` runs, on this machine's ports. */
async function startServer(
  program: string,
  { root, database, provider, places }: ServerParts,
): Promise<RunningServer> {
  const ports = await freePorts();
  const dynamic = join(root, 'dynamic-config.yaml');
  await writeFile(dynamic, configs['temporal-dynamic-config']?.content ?? '');
  const env = environmentOf('temporal', {
    ...places,
    ...{ POSTGRES_SEEDS: HOST, DB_PORT: String(database.worker.port) },
    ...{ POSTGRES_PWD: DATABASE_PASSWORD, BIND_ON_IP: HOST, NUM_HISTORY_SHARDS: '4' },
    ...{ DYNAMIC_CONFIG_FILE_PATH: dynamic, TEMPORAL_JWT_KEY_SOURCE1: provider.url },
  });
  const logFile = join(root, 'temporal.log');
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(program, ['start'], {
    env: { ...env, ...ports, PATH: places['PATH'], HOME: root },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  // A name: TLS knows no server by its address alone.
  const address = `localhost:${ports['FRONTEND_GRPC_PORT'] ?? ''}`;
  return {
    ...{ address, logFile, hasEnded: () => hasExited(child) },
    stop: () => stopProcess(child, READY_WITHIN_MS),
  };
}

interface Clients {
  readonly root: string;
  readonly tls: string;
  readonly address: string;
  readonly provider: IdentityProvider;
}

function clientsOf({ root, tls, address, provider }: Clients): SecureServer['clientEnvironment'] {
  return async (certificate, claims): Promise<Record<string, string>> => {
    const env = {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: NAMESPACE,
      TEMPORAL_TLS_CA: join(tls, 'ca.crt'),
      TEMPORAL_TLS_CERT: join(tls, `${certificate}.crt`),
      TEMPORAL_TLS_KEY: join(tls, `${certificate}.key`),
    };
    if (claims === null) return env;
    const tokenFile = join(root, `${claims.sub}.token`);
    await writeFile(tokenFile, `${provider.token(claims)}\n`, { mode: 0o600 });
    return { ...env, TEMPORAL_API_KEY_FILE: tokenFile };
  };
}

/** Runs what `temporal-namespace` runs until it succeeds, as `restart: on-failure` does. */
async function prepareNamespace(
  server: RunningServer,
  clientEnvironment: SecureServer['clientEnvironment'],
  places: Values,
): Promise<void> {
  const admin = { sub: 'admin', permissions: ['temporal-system:admin'] };
  const tokenFile = (await clientEnvironment('admin', admin))['TEMPORAL_API_KEY_FILE'] ?? '';
  const { entrypoint = [] } = services['temporal-namespace'] ?? {};
  const [shell = '', ...args] = entrypoint.map((word) =>
    word.replaceAll('$$', '$').replace('/run/secrets/admin-token', tokenFile),
  );
  const env = environmentOf('temporal-namespace', { ...places, TEMPORAL_ADDRESS: server.address });
  const until = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const script = scriptOf(services['temporal-namespace']);
    const { code, stderr } = await runProgram(shell, [...args, script], {
      env: { ...env, PATH: places['PATH'], HOME: places['HOME'] },
    });
    if (code === 0) return;
    if (server.hasEnded()) throw new Error(`the server ended; see ${server.logFile}`);
    if (Date.now() > until) throw new Error(stderr);
  }
}

/** What each database holds, as text; what it holds as bytes is read as text as well. */
export async function databasesOf({ worker, folder }: PostgresServer): Promise<Values> {
  const names = ['temporal', 'temporal_visibility', worker.database];
  const dumps = names.map(async (name): Promise<readonly [string, string]> => {
    const dump = await mustRun('pg_dump', [
      ...['--host', folder, '--port', String(worker.port), '--username', 'owner'],
      ...['--inserts', '--dbname', name],
    ]);
    const bytes = [...dump.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString('latin1'),
    );
    return [name, `${dump}\n${bytes.join('\n')}`];
  });
  return Object.fromEntries(await Promise.all(dumps));
}

/** A connection with the files that these variables name. */
export async function connectWith(env: Values): Promise<Connection> {
  const read = (name: string): Promise<Buffer> => readFile(env[name] ?? '');
  const [token, ca, crt, key] = await Promise.all([
    ...[read('TEMPORAL_API_KEY_FILE'), read('TEMPORAL_TLS_CA')],
    ...[read('TEMPORAL_TLS_CERT'), read('TEMPORAL_TLS_KEY')],
  ] as const);
  return Connection.connect({
    address: env['TEMPORAL_ADDRESS'] ?? '',
    apiKey: token.toString('utf8').trim(),
    tls: { serverRootCACertificate: ca, clientCertPair: { crt, key } },
  });
}
