import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { readDataConverter } from '../../config/data-converter.js';
import { newPayloadKeyLine } from '../../config/payload-keys.js';
import { encodingsIn } from '../support/payload-encodings.js';
import {
  DATABASE_PASSWORD,
  evidenceVariables,
  type PostgresServer,
  startPostgres,
  whyNoPostgres,
} from '../support/postgres-server.js';
import { secretsOf } from './kubeconfig-secrets.js';
import {
  migrate,
  openOneCluster,
  patientPolicy,
  type Running,
  STORY_MS,
  type OneCluster,
} from './one-cluster.js';

const REASON = 'to the CCM, canary of a payload';
const missing = whyNoPostgres();
const withDatabase = missing === null ? describe : describe.skip;

let root: string;
let database: PostgresServer;
let environment: OneCluster;
let workers: readonly Running[] = [];
let address = '';

/** A worker of the region, with a state folder of its own, as on another host. */
async function regionWorker(name: string): Promise<Running> {
  const access = join(environment.stateDir, 'access');
  const worker = environment.background(
    ...['worker', '-f', environment.fleetDir, '--region', 'eu', '--address', address],
    ...['--state-dir', join(root, name)],
    ...['--access-policy', join(access, 'access-policy.yaml')],
    ...['--worker-key', join(access, 'worker.key')],
  );
  await worker.saying('"type":"ready"');
  return worker;
}

async function open(): Promise<void> {
  root = await mkdtemp(join(tmpdir(), 'ccm-migrate-shared-'));
  database = await startPostgres();
  const [keys, password] = [join(root, 'payload.keys'), join(root, 'password')];
  await writeFile(keys, newPayloadKeyLine('k-1'), { mode: 0o600 });
  await writeFile(password, DATABASE_PASSWORD, { mode: 0o600 });
  environment = await openOneCluster({
    ...{ speed: 20, spec: { nodes: 1 }, policy: patientPolicy },
    env: {
      CCM_MIGRATE_PAYLOAD_KEYS: keys,
      ...evidenceVariables(database.worker, password),
    },
  });
  // Its worker serves the region that the inventory names now: of this run only the workflow.
  await environment.startDev();
  const inventory = join(environment.fleetDir, 'inventory.yaml');
  const text = await readFile(inventory, 'utf8');
  await writeFile(inventory, text.replace(/"region": "[^"]*"/, '"region": "eu"'));
  const note = await readFile(join(environment.stateDir, 'server.json'), 'utf8');
  ({ address } = JSON.parse(note) as { readonly address: string });
  workers = await Promise.all(['host-1', 'host-2'].map(regionWorker));
  await migrate(environment, '--reason', REASON, '-y');
}

async function close(): Promise<void> {
  for (const { child } of workers) child.kill('SIGINT');
  await Promise.all(workers.map(({ ended }) => ended));
  await environment.close();
  await database.close();
  await rm(root, { recursive: true });
}

/** All rows that the workers wrote, as text. */
async function rowsText(): Promise<string> {
  const rows = await database.asOwner('SELECT line FROM evidence.records ORDER BY sequence');
  return rows.map(({ line }) => String(line)).join('');
}

withDatabase(
  `two workers that share one database${missing === null ? '' : ` (${missing})`}`,
  () => {
    beforeAll(open, STORY_MS);
    afterAll(close, 60_000);

    it('write one chain, which an audit accepts, and nothing beside it', async () => {
      const out = join(root, 'export.json');
      const state = ['--state-dir', environment.stateDir];
      const exported = await environment.command(
        'audit',
        'export',
        'sim-1',
        '--out',
        out,
        ...state,
      );
      expect([exported.exit, exported.stderr]).toEqual([0, '']);
      const trust = join(environment.stateDir, 'access', 'access-policy.yaml');
      const verified = await environment.command('audit', 'verify', out, '--trust', trust);
      expect([verified.exit, verified.stderr]).toEqual([0, '']);
      const { records } = JSON.parse(await readFile(out, 'utf8')) as { records: unknown[] };
      expect((await rowsText()).trimEnd().split('\n')).toHaveLength(records.length);
      expect(records.length).toBeGreaterThan(10);
      for (const name of ['host-1', 'host-2']) {
        const own = join(root, name);
        expect(existsSync(own) ? await readdir(own) : []).not.toContain('evidence');
      }
    });

    it('encrypt all that the history carries', async () => {
      const connection = await Connection.connect({ address });
      // Lists decode memos. Histories are fetched as they are.
      const dataConverter = await readDataConverter(join(root, 'payload.keys'));
      const client = new Client({ connection, dataConverter });
      const found: string[] = [];
      for await (const { workflowId, runId } of client.workflow.list()) {
        const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
        const text = historyToJSON(history);
        found.push(...encodingsIn(JSON.parse(text)));
        expect(text).not.toContain(Buffer.from(REASON).toString('base64').slice(4, -4));
      }
      await connection.close();
      expect([...new Set(found)]).toEqual(['binary/encrypted']);
    });

    it('put no secret into the database', async () => {
      const kubeconfig = environment.simulator.kubeconfigs['sim-1'] ?? '';
      const secrets = secretsOf(await readFile(kubeconfig, 'utf8'));
      expect(secrets.length).toBeGreaterThan(0);
      const text = await rowsText();
      for (const { value } of secrets) expect(text).not.toContain(value);
      expect(text).not.toContain(DATABASE_PASSWORD);
      expect(text).toContain(REASON);
    });
  },
);
