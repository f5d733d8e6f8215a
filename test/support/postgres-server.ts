import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { EvidenceAccess } from '../../config/evidence-database.js';

/** The password of both users of a server. */
export const DATABASE_PASSWORD = 'canary-of-the-database';
const DATABASE = 'proof';
const OWNER = 'owner';
const SCHEMA = new URL('../../deploy/evidence/schema.sql', import.meta.url);
const READY_WITHIN_MS = 60_000;

/** A real PostgreSQL server in a folder of its own, with the tables of the product and a worker's user. */
export interface PostgresServer {
  /** As `ccm_migrate_worker`, over TCP on loopback. */
  readonly worker: EvidenceAccess;
  readonly auditor: EvidenceAccess;
  readonly folder: string;
  /** By the owner of the tables: each statement, and the rows of the last. */
  asOwner(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Ends it at once, as a crash does; it keeps its folder. */
  kill(): Promise<void>;
  /** Starts it again, with more settings (`name = value`) from then on. */
  start(...settings: readonly string[]): Promise<void>;
  /** Stops answering, or answers again: a host that hangs. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** Variables of a worker or an auditor that reads its password from this file. */
export function evidenceVariables(
  { user, host, port, database, authorityFile }: EvidenceAccess,
  passwordFile: string,
): Readonly<Record<string, string>> {
  return {
    CCM_MIGRATE_EVIDENCE_DATABASE: `postgresql://${user}@${host}:${String(port)}/${database}`,
    CCM_MIGRATE_EVIDENCE_PASSWORD_FILE: passwordFile,
    CCM_MIGRATE_EVIDENCE_CA_FILE: authorityFile,
  };
}

/** Why no PostgreSQL server can be started on this machine; null when one can. */
export function whyNoPostgres(): string | null {
  if (binFolder() === null) return 'no initdb and postgres (Debian: postgresql)';
  if (process.getuid?.() === 0 && unprivileged() === null) return 'root, and no other user';
  return null;
}

function binFolder(): string | null {
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged) ? readdirSync(packaged).sort().reverse() : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(packaged, version, 'bin')),
  ];
  const holds = (folder: string): boolean =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)));
  return folders.find(holds) ?? null;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): User | null {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  // eslint-disable-next-line house/forbidden-words -- the names of users
  const fields = ['postgres', 'nobody'].flatMap((name) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.split(':')),
  )[0];
  return fields === undefined ? null : { uid: Number(fields[2]), gid: Number(fields[3]) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Short, because a socket's path may have 107 bytes. */
async function newFolder(user: User | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-pg-'));
  if (user !== null) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o700);
  return folder;
}

/** Files (PEM); the certificate must be of 127.0.0.1. */
export interface PostgresTls {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

/** With `tls` it answers nothing over TCP without it. */
export async function startPostgres(tls: PostgresTls | null = null): Promise<PostgresServer> {
  const bin = binFolder();
  const user = process.getuid?.() === 0 ? unprivileged() : null;
  if (bin === null) throw new Error('whyNoPostgres was not asked');
  const folder = await newFolder(user);
  const data = join(folder, 'data');
  const port = await freePort();
  const as = { ...(user ?? {}), env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  const made = spawnSync(
    join(bin, 'initdb'),
    ['--pgdata', data, '--username', OWNER, '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'],
    { ...as, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const kind = tls === null ? 'host' : 'hostssl';
  await writeFile(
    join(data, 'pg_hba.conf'),
    `local all ${OWNER} trust\n${kind} all all 127.0.0.1/32 scram-sha-256\n`,
  );
  const encryption = await tlsSettings(folder, tls, user);
  const configuration = join(data, 'postgresql.conf');
  await appendFile(
    configuration,
    [
      '',
      `port = ${String(port)}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      'max_connections = 80',
      'shared_buffers = 16MB',
      ...encryption,
      '',
    ].join('\n'),
  );
  let child: ChildProcess | null = null;
  const ended = async (signal: NodeJS.Signals): Promise<void> => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGCONT');
    const exit = once(running, 'exit');
    running.kill(signal);
    await exit;
  };
  const asOwner: PostgresServer['asOwner'] = async (sql, values = []) =>
    withOwner({ folder, port, database: DATABASE }, async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
      return rows;
    });
  const start = async (...more: readonly string[]): Promise<void> => {
    if (more.length > 0) await appendFile(configuration, `${more.join('\n')}\n`);
    child = spawn(join(bin, 'postgres'), ['-D', data], { ...as, stdio: 'ignore' });
    await untilReady(folder, port, child);
  };
  await start();
  await withOwner({ folder, port, database: 'postgres' }, async (client) => {
    await client.query(`CREATE DATABASE ${DATABASE}`);
    await client.query(`SET password_encryption = 'scram-sha-256'`);
    await client.query(`CREATE ROLE worker_1 LOGIN PASSWORD '${DATABASE_PASSWORD}'`);
    await client.query(`CREATE ROLE auditor_1 LOGIN PASSWORD '${DATABASE_PASSWORD}'`);
  });
  const schema = readFileSync(SCHEMA, 'utf8');
  // Twice, because an administrator may apply it again.
  for (const sql of [schema, schema]) {
    await withOwner({ folder, port, database: DATABASE }, (client) => client.query(sql));
  }
  await asOwner('GRANT ccm_migrate_worker TO worker_1');
  await asOwner('GRANT ccm_migrate_auditor TO auditor_1');
  const { authority: authorityFile } = tls ?? { authority: '' };
  const access = (name: string): EvidenceAccess => ({
    ...{ user: name, host: '127.0.0.1', port, database: DATABASE, encrypted: tls !== null },
    ...{ passwordFile: '', authorityFile },
    ...{ password: DATABASE_PASSWORD, authority: null },
  });
  return {
    ...{ worker: access('worker_1'), auditor: access('auditor_1'), folder, asOwner, start },
    kill: () => ended('SIGQUIT'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    close: async () => {
      await ended('SIGQUIT');
      await rm(folder, { recursive: true });
    },
  };
}

/** It takes a key only from a file of its own. */
async function tlsSettings(
  folder: string,
  tls: PostgresTls | null,
  user: User | null,
): Promise<readonly string[]> {
  if (tls === null) return [];
  const { certificate, key } = tls;
  const [crt, own] = [join(folder, 'server.crt'), join(folder, 'server.key')];
  for (const [from, to] of [
    [certificate, crt],
    [key, own],
  ] as const) {
    await writeFile(to, readFileSync(from), { mode: 0o600 });
    if (user !== null) await chown(to, user.uid, user.gid);
  }
  return ['ssl = on', `ssl_cert_file = '${crt}'`, `ssl_key_file = '${own}'`];
}

interface OwnerPlace {
  readonly folder: string;
  readonly port: number;
  readonly database: string;
}

async function withOwner<T>(
  { folder, port, database }: OwnerPlace,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ host: folder, port, user: OWNER, password: () => '', database });
  // What it was asked fails, which says enough.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function untilReady(folder: string, port: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await withOwner({ folder, port, database: 'postgres' }, (client) => client.query('SELECT 1'));
      return;
    } catch (error) {
      if (child.exitCode !== null) throw new Error('postgres ended at its start', { cause: error });
      if (Date.now() > until) throw error;
      await sleep(50);
    }
  }
}
