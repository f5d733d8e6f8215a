import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { newSigningKey } from '../../config/access/signing-key-file.js';
import { readDataConverter } from '../../config/data-converter.js';
import { newPayloadKeyLine } from '../../config/payload-keys.js';
import { DATABASE_PASSWORD, evidenceVariables, whyNoPostgres } from '../support/postgres-server.js';
import { leaksIn, type Canary } from '../whole-run/canaries.js';
import { secretsOf } from '../whole-run/kubeconfig-secrets.js';
import {
  openOneCluster,
  patientPolicy,
  type OneCluster,
  type Running,
  type Said,
  startCli,
  STORY_MS,
} from '../whole-run/one-cluster.js';
import { plant, PLANTED } from '../whole-run/planted.js';
import { connectWith, databasesOf, type SecureServer, startSecureServer } from './secure-server.js';

/** It needs the production server, which is built once: `npm run test:secure`. */
const isAsked = process.env['CCM_TEST_SECURE'] === '1';
const missing = isAsked ? whyNoPostgres() : 'npm run test:secure does';
/** What the activity of a refused run says, and then the run. */
const REFUSED = 'the access policy of this worker does not allow it';
const REASON = 'to the CCM, reason of a person';
const WRITER = ['ccm-migrate:write'];
/** Tokens of the worker live this long here, so that a run outlives several. */
const TOKEN_SECONDS = 15;

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type Values = Readonly<Record<string, string>>;

let root: string;
let server: SecureServer;
let environment: OneCluster;
let worker: Running;
let renewal: NodeJS.Timeout;
let stopped: Said | null = null;
const ana: Record<string, string> = {};
const eve: Record<string, string> = {};

const inRoot = (name: string): string => join(root, name);

async function keyFile(name: string): Promise<string> {
  const { pem, publicKey } = newSigningKey();
  await writeFile(inRoot(`${name}.key`), pem, { mode: 0o600 });
  return publicKey;
}

async function accessPolicy(): Promise<void> {
  const [of, , workers] = await Promise.all(['ana', 'eve', 'worker'].map(keyFile));
  const text = `apiVersion: ccm-migrate.dev/v1alpha1
kind: AccessPolicy
metadata: { name: secure }
spec:
  version: 1
  principals:
    - { name: ana, keys: [{ ed25519: ${of ?? ''} }], grants: [{ roles: [requester, operator, approver] }] }
  workers:
    - { name: region, keys: [{ ed25519: ${workers ?? ''} }] }
`;
  await writeFile(inRoot('access-policy.yaml'), text, { mode: 0o600 });
}

/** As docker-compose.secure.yml starts it, with its evidence in PostgreSQL besides. */
async function startWorker(): Promise<void> {
  const claims = { sub: 'worker-1', permissions: WRITER, expiresIn: TOKEN_SECONDS };
  const renew = (): Promise<Values> => server.clientEnvironment('worker', claims);
  const env = {
    ...process.env,
    ...(await renew()),
    CCM_MIGRATE_PAYLOAD_KEYS: inRoot('payload.keys'),
    CCM_MIGRATE_ACCESS_POLICY: inRoot('access-policy.yaml'),
    CCM_MIGRATE_WORKER_KEY: inRoot('worker.key'),
    ...evidenceVariables(server.database.worker, inRoot('password')),
    CCM_MIGRATE_LOG_LEVEL: 'debug',
  };
  renewal = setInterval(() => void renew(), (TOKEN_SECONDS * 1000) / 3);
  const state = ['--state-dir', inRoot('worker-state')];
  worker = startCli(['worker', '-f', environment.fleetDir, ...state], env);
  await worker.saying('"type":"ready"');
}

async function open(): Promise<void> {
  root = await mkdtemp(join(tmpdir(), 'ccm-migrate-secure-'));
  server = await startSecureServer(root);
  await writeFile(inRoot('payload.keys'), newPayloadKeyLine('k-1'), { mode: 0o600 });
  await writeFile(inRoot('password'), DATABASE_PASSWORD, { mode: 0o600 });
  await mkdir(inRoot('worker-state'));
  await accessPolicy();
  environment = await openOneCluster({
    ...{ speed: 20, spec: { nodes: 1 }, policy: patientPolicy, prepare: plant },
  });
  await startWorker();
  const payloads = { CCM_MIGRATE_PAYLOAD_KEYS: inRoot('payload.keys') };
  for (const [env, name] of [
    [ana, 'ana'],
    [eve, 'eve'],
  ] as const) {
    const claims = { sub: `${name}@corp`, permissions: WRITER };
    Object.assign(env, payloads, await server.clientEnvironment(name, claims));
  }
  ana['CCM_MIGRATE_KEY'] = inRoot('ana.key');
}

async function close(): Promise<void> {
  clearInterval(renewal);
  if (stopped === null) await stopWorker();
  await environment.close();
  await server.close();
  await rm(root, { recursive: true });
}

async function stopWorker(): Promise<void> {
  worker.child.kill('SIGINT');
  stopped = await worker.ended;
}

function runs(env: Values, ...argv: readonly string[]): Promise<Said> {
  return startCli(argv, { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env }).ended;
}

async function succeedsAs(env: Values, ...argv: readonly string[]): Promise<Said> {
  const said = await runs(env, ...argv);
  if (said.exit !== 0) throw new Error(JSON.stringify(said));
  return said;
}

const apply = (): readonly string[] => [
  ...['apply', '-f', environment.fleetDir, '--reason', REASON, '-y'],
];

const untouched = (): boolean =>
  environment.cluster
    .nodes()
    .every((node) => node.host().processes.every(({ manager }) => manager !== 'ccm'));

/** What the workers recorded of who was allowed or refused. */
async function verdicts(): Promise<readonly string[]> {
  const rows = await server.database.asOwner('SELECT line FROM evidence.records ORDER BY sequence');
  return rows.flatMap(({ line }) => {
    const { entry } = JSON.parse(String(line)) as { entry: { authority?: { verdict: string } } };
    return entry.authority === undefined ? [] : [entry.authority.verdict];
  });
}

(missing === null ? describe : describe.skip)(
  `docker-compose.secure.yml${missing === null ? '' : ` (not run: ${missing})`}`,
  () => {
    beforeAll(open, STORY_MS);
    afterAll(close, 120_000);

    const noFiles = { TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' };
    it.each([
      { who: 'without a certificate', of: noFiles, says: 'no Temporal server answers' },
      { who: 'without a token', of: { TEMPORAL_API_KEY_FILE: '' }, says: 'CCM4037' },
      {
        who: 'in plain text',
        of: { ...noFiles, TEMPORAL_TLS_CA: '', TEMPORAL_API_KEY_FILE: '' },
        says: 'no Temporal server answers',
      },
    ])('a client $who learns nothing', async ({ of, says }) => {
      const said = await runs({ ...ana, ...of }, 'status');
      expect(said.exit).not.toBe(0);
      expect(said.stdout).toBe('');
      expect(said.stderr).toContain(says);
    });

    it('a token that may only read starts nothing', async () => {
      const claims = { sub: 'reader@corp', permissions: ['ccm-migrate:read'] };
      const reader = { ...ana, ...(await server.clientEnvironment('ana', claims)) };
      expect((await runs(reader, 'status')).stderr).toContain('CCM4022 there is no run');
      const said = await runs(reader, ...apply());
      expect(said.exit).not.toBe(0);
      expect(said.stderr).toContain('CCM4037');
    });

    it('a stolen token that may write starts nothing without a key that signs, which is recorded', async () => {
      for (const key of [{}, { CCM_MIGRATE_KEY: inRoot('eve.key') }]) {
        const said = await runs({ ...eve, ...key }, ...apply(), '--watch');
        expect(said.exit).not.toBe(0);
        const status = await runs(eve, 'status', 'sim-1');
        expect(status.stdout).toContain(REFUSED);
      }
      expect(untouched()).toBe(true);
      expect(await verdicts()).toEqual(['refused', 'refused']);
    });

    it(
      'a person migrates, while the tokens of the worker expire and are renewed',
      async () => {
        await succeedsAs(ana, ...apply());
        await succeedsAs(ana, 'status', 'sim-1', '--until', 'done');
        expect(untouched()).toBe(false);
      },
      STORY_MS,
    );

    it('the history names who asked, by the token', async () => {
      const names = (await histories()).map(({ events }) => String(events?.[0]?.principal?.name));
      expect([...new Set(names)].sort()).toEqual(['ana@corp', 'eve@corp']);
    });

    it('an auditor finds the run proven', async () => {
      const out = inRoot('export.json');
      await succeedsAs(
        { ...ana, ...evidenceVariables(server.database.auditor, inRoot('password')) },
        'audit',
        'export',
        'sim-1',
        '--out',
        out,
      );
      const trust = ['--trust', inRoot('access-policy.yaml')];
      const said = await succeedsAs({}, 'audit', 'verify', out, ...trust);
      expect(said.stderr).toBe('');
      expect(await readFile(out, 'utf8')).toContain(REASON);
    });

    it('no secret is in histories, databases, logs, evidence or exports', async () => {
      await stopWorker();
      const secrets = await everySecret();
      expect(secrets.length).toBeGreaterThan(Object.keys(PLANTED).length + 10);
      const found = Object.entries(await everyText()).flatMap(([name, text]) =>
        leaksIn(name, text, secrets),
      );
      expect(found).toEqual([]);
    });

    it('the server keeps no plain text of what a run is about', async () => {
      const {
        temporal,
        temporal_visibility: visibility,
        histories: all,
        proof,
      } = await everyText();
      for (const text of [temporal, visibility, all]) {
        // What it does keep shows that the text is what it claims to be.
        expect(text).toContain('clusterMigration');
        expect([REASON, REFUSED].filter((said) => text?.includes(said))).toEqual([]);
      }
      expect(proof).toContain(REASON);
    });
  },
);

/** Everything that this installation has written, each by its place. */
async function everyText(): Promise<Values> {
  return {
    ...(await databasesOf(server.database)),
    histories: (await histories()).map(historyToJSON).join('\n'),
    'log of the server': await readFile(server.logFile, 'utf8'),
    'output of the worker': `${stopped?.stdout ?? ''}${stopped?.stderr ?? ''}`,
    export: await readFile(inRoot('export.json'), 'utf8'),
  };
}

async function everySecret(): Promise<readonly Canary[]> {
  const kubeconfig = await readFile(environment.simulator.kubeconfigs['sim-1'] ?? '', 'utf8');
  return [...Object.values(PLANTED), ...secretsOf(kubeconfig), ...(await ownSecrets())];
}

/** Of all runs, as the server keeps them. */
async function histories(): Promise<readonly History[]> {
  const connection = await connectWith(ana);
  const dataConverter = await readDataConverter(inRoot('payload.keys'));
  const client = new Client({ connection, namespace: 'ccm-migrate', dataConverter });
  const found: History[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    found.push(await client.workflow.getHandle(workflowId, runId).fetchHistory());
  }
  await connection.close();
  return found;
}

/** Keys, tokens and passwords of this installation: a line of each file that is long enough to be one. */
async function ownSecrets(): Promise<readonly Canary[]> {
  const names = (await readdir(root, { recursive: true })).filter((name) =>
    /\.(key|keys|token)$|^password$/.test(name),
  );
  const texts = await Promise.all(names.map((name) => readFile(inRoot(name), 'utf8')));
  return texts.flatMap((text, index) =>
    text
      .split(/\s+/)
      .filter((line) => line.length > 20 && !line.includes('-----'))
      .map((value) => ({ place: names[index] ?? '', value })),
  );
}
