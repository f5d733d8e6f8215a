import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { Ajv } from 'ajv';
import { appendEntries, beginLog, openLog } from '../../cli/transparency/anchor-log.js';
import { readSigningKey } from '../../config/access/signing-key-file.js';
import { dataConverterWith } from '../../config/data-converter.js';
import { jsonSchemaOf } from '../../config/json-schemas.js';
import type { ExecutionEntry } from '../../domain/transparency/log-entry.js';
import { HAS_SECOND_VERIFIER } from '../support/second-verifier.js';
import { timestampAuthority } from '../support/timestamp-authority.js';
import { executionEntries } from '../../domain/transparency/logged-runs.js';
import { payloadKeys } from '../support/payload-keys.js';
import { eventually } from '../contract/eventually.js';
import {
  migrate,
  openOneCluster,
  patientPolicy,
  STORY_MS,
  succeeds,
  type OneCluster,
} from './one-cluster.js';
import { deleteRun } from './delete-run.js';

const withOpenssl = HAS_SECOND_VERIFIER ? it : it.skip;
const WHY = ['--reason', 'to the CCM', '--ticket', 'CHG-7', '-y'] as const;

interface Found {
  readonly exit: number;
  readonly gaps: readonly { readonly kind: string; readonly runId: string | null }[];
  readonly refused: readonly { readonly file: string }[];
  readonly runs: readonly { readonly runId: string; readonly target: string }[];
}

let environment: OneCluster;
/** A copy of what `dev` exports, which an archive would have. */
let archive: string;
/** One run in each direction, forward first. */
let exported: readonly string[] = [];
/** Of `audit anchor`, which ran beside both: its folder and its key. */
let [log, logKeyFile]: (string | undefined)[] = [];

async function exportsOf(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const at = (text: string): string => (JSON.parse(text) as { exportedAt: string }).exportedAt;
  return texts
    .map((text, index) => [at(text), names[index] ?? ''] as const)
    .sort()
    .map(([, name]) => name);
}

beforeAll(async () => {
  archive = await mkdtemp(join(tmpdir(), 'ccm-migrate-archive-'));
  environment = await openOneCluster({ speed: 20, spec: { nodes: 1 }, policy: patientPolicy });
  await environment.startDev();
  [log, logKeyFile] = [join(archive, 'log'), join(archive, 'log.key')];
  await succeeds(environment, ...anchor('--init', 'logs.example.com/test'));
  const state = ['--state-dir', environment.stateDir];
  const anchoring = environment.background(...anchor('--every', '1s'), ...state);
  await migrate(environment, ...WHY);
  await succeeds(
    environment,
    'rollback',
    'sim-1',
    '-f',
    environment.fleetDir,
    '--reason',
    'back',
    '-y',
  );
  const folder = join(environment.stateDir, 'exports');
  exported = await eventually(STORY_MS, async () => {
    const names = await exportsOf(folder);
    return names.length === 2 ? names : null;
  });
  await cp(folder, archive, { recursive: true });
  anchoring.child.kill('SIGINT');
  expect((await anchoring.ended).exit).toBe(0);
}, STORY_MS);
afterAll(async () => {
  await environment.close();
  await rm(archive, { recursive: true });
}, 60_000);

function anchor(...words: readonly string[]): readonly string[] {
  return ['audit', 'anchor', '--log', log ?? '', '--log-key', logKeyFile ?? '', ...words];
}

/** The policy of `dev`, which trusts the log, too: by itself, or where this authority stamped it. */
async function trustWithLog(authority: string | null = null): Promise<string> {
  const policy = await readFile(join(environment.stateDir, 'access', 'access-policy.yaml'), 'utf8');
  const { publicKey } = await readSigningKey(logKeyFile ?? '');
  const why =
    authority === null
      ? 'independent: true'
      : `timestamps: {authorities: [${JSON.stringify(authority)}]}`;
  const trusted = `{origin: logs.example.com/test, keys: [{ed25519: ${publicKey}}], ${why}}`;
  const file = join(archive, 'access-policy.yaml');
  await writeFile(file, `${policy}\n  logs: [${trusted}]\n`);
  return file;
}

interface AnchorPassed {
  readonly size: number;
  readonly added: readonly { readonly runId: string; readonly ended: string }[];
  readonly contradictions: readonly string[];
  readonly unreadable: readonly string[];
}

async function anchorPassed(...words: readonly string[]): Promise<readonly [number, AnchorPassed]> {
  const state = ['--state-dir', environment.stateDir];
  const said = await environment.command(...anchor('-o', 'json', ...words), ...state);
  const document = JSON.parse(said.stdout) as AnchorPassed;
  const check = new Ajv({ strict: false }).compile(jsonSchemaOf('AuditAnchor'));
  expect([check(document), check.errors]).toEqual([true, null]);
  return [said.exit, document];
}

async function population(...more: readonly string[]): Promise<Found> {
  const words = ['-f', environment.fleetDir, '--exports', archive, '-o', 'json', ...more];
  const said = await environment.command(
    'audit',
    'population',
    ...words,
    '--state-dir',
    environment.stateDir,
  );
  const document = JSON.parse(said.stdout) as object;
  const check = new Ajv({ strict: false }).compile(jsonSchemaOf('AuditPopulation'));
  expect([check(document), check.errors]).toEqual([true, null]);
  return { exit: said.exit, ...(document as Omit<Found, 'exit'>) };
}

const kinds = ({ exit, gaps }: Found) => [exit, gaps.map(({ kind }) => kind)];

async function workflowOf(runId: string): Promise<string> {
  const text = await readFile(join(archive, `${runId}.away`), 'utf8');
  return (JSON.parse(text) as { readonly workflowId: string }).workflowId;
}

describe('the population of runs', () => {
  it('is whole after a migration and its rollback, with signed exports', async () => {
    const trust = join(environment.stateDir, 'access', 'access-policy.yaml');
    const found = await population('--trust', trust);
    expect([kinds(found), found.refused]).toEqual([[0, []], []]);
    expect(found.runs.map(({ target }) => target)).toEqual(['ccm', 'kcm']);
    const { stdout } = await environment.command(
      ...['audit', 'population', '-f', environment.fleetDir, '--exports', archive],
      ...['--state-dir', environment.stateDir],
    );
    expect(stdout).toContain('2 runs of 1 cluster: none is missing');
  });

  it('exports the runs of one fleet, and an earlier run of a cluster by its id', async () => {
    const names = async (fleet: string, folder: string): Promise<readonly string[]> => {
      const out = join(archive, folder);
      await succeeds(environment, 'audit', 'export', '--fleet', fleet, '--out', out);
      return (await readdir(out)).sort();
    };
    expect(await names('demo', 'of-demo')).toEqual([...exported, 'bundles'].sort());
    expect(await names("other' OR Fleet='demo", 'of-other')).toEqual([]);
    const [first = ''] = exported;
    const run = first.replace('.json', '');
    const earlier = await succeeds(environment, 'audit', 'export', '--run', run);
    expect(JSON.parse(earlier.stdout)).toMatchObject({ runId: run, cluster: 'sim-1' });
    const words = ['audit', 'export', '--run', 'run-9', '--state-dir', environment.stateDir];
    const unknown = await environment.command(...words);
    expect([unknown.exit, unknown.stderr]).toEqual([1, expect.stringContaining('no run run-9')]);
  });

  it('is listed with who, why and by which ticket', async () => {
    const list = (...words: readonly string[]) =>
      environment.command('audit', 'list', ...words, '--state-dir', environment.stateDir);
    expect((await list()).stdout).toMatch(
      /sim-1 .* ccm .*done .*\n.*sim-1 .* kcm .*rolledBack .*back/,
    );
    const ofTicket = JSON.parse((await list('--ticket', 'CHG-7', '-o', 'json')).stdout) as Found;
    expect(ofTicket.runs).toMatchObject([
      { target: 'ccm', outcome: 'done', ticket: 'CHG-7', exported: true },
    ]);
    expect((await list('--from', '2099-01-01', '-o', 'json')).stdout).toContain('"runs": []');
    expect((await list('--from', 'yesterday')).exit).toBe(64);
  });

  it('has each run in a log that was written beside it, and in no other past', async () => {
    await anchorPassed();
    const [exit, { size, added }] = await anchorPassed();
    expect([exit, added]).toEqual([0, []]);
    const key = await readSigningKey(logKeyFile ?? '');
    const { entries } = await openLog(log ?? '', key);
    const runs = exported.map((name) => name.replace('.json', ''));
    for (const runId of runs) {
      const own = executionEntries(entries).get(runId) ?? [];
      expect(own.length).toBeGreaterThan(1);
      expect(own.at(-1)).toMatchObject({ ended: 'completed', cluster: 'sim-1' });
    }
    expect(size).toBe(entries.length);
    for (const name of exported) {
      const words = ['audit', 'verify', join(archive, name), '--trust', await trustWithLog()];
      const verified = await environment.command(...words, '--log', log ?? '');
      expect([verified.exit, verified.stdout]).toEqual([0, expect.stringMatching(/pass +anchor/)]);
      expect((await environment.command(...words)).exit).toBe(8);
    }
    const found = await population('--trust', await trustWithLog(), '--log', log ?? '');
    expect([kinds(found), found.refused]).toEqual([[0, []], []]);
  });

  withOpenssl('is proven by timestamps of a log of the operators (needs OpenSSL 3)', async () => {
    const folder = join(archive, 'authority');
    await mkdir(folder);
    const authority = await timestampAuthority(folder);
    const { url, close } = await authority.serve();
    const verified = async (file: string) => {
      const trust = ['--trust', await trustWithLog(authority.root), '--log', log ?? ''];
      const { exit, stdout } = await environment.command('audit', 'verify', file, ...trust);
      return [exit, /(pass|unproven) +anchor/.exec(stdout)?.[1]];
    };
    const files = exported.map((name) => join(archive, name));
    for (const file of files) expect(await verified(file)).toEqual([8, 'unproven']);
    expect((await anchorPassed('--timestamp', url))[0]).toBe(0);
    await close();
    for (const file of files) expect(await verified(file)).toEqual([0, 'pass']);
    // It is not asked again about what it has stamped.
    expect((await anchorPassed('--timestamp', url))[0]).toBe(0);
  });

  it('contradicts a log that has seen another past of it', async () => {
    const key = await readSigningKey(logKeyFile ?? '');
    const before = [log, logKeyFile];
    const own = await openLog(log ?? '', key);
    const [first] = own.entries.filter((entry) => entry.kind === 'execution');
    log = join(archive, 'other-log');
    await beginLog(log, own.origin, key);
    const other = { ...(first as ExecutionEntry), ended: 'open', history: 'sha256:another' };
    await appendEntries(log, await openLog(log, key), [other], key);
    const [exit, { contradictions }] = await anchorPassed();
    expect([exit, contradictions]).toEqual([
      3,
      [expect.stringContaining(`${other.runId}: its first ${String(other.events)} events`)],
    ]);
    [log, logKeyFile] = before;
  });

  it('refuses an export that proves nothing', async () => {
    const [first = ''] = exported;
    const file = join(archive, first);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"reason": "to the CCM"', '"reason": "by night"'));
    const trust = join(environment.stateDir, 'access', 'access-policy.yaml');
    const found = await population('--trust', trust);
    expect([kinds(found), found.refused.length]).toEqual([[3, ['notExported']], 1]);
    await writeFile(file, text);
  });

  it('misses an export that was deleted, and a run that was deleted with it', async () => {
    const [, second = ''] = exported;
    const runId = second.replace('.json', '');
    await rename(join(archive, second), join(archive, `${runId}.away`));
    const without = await population();
    expect(kinds(without)).toEqual([3, ['notExported']]);
    expect(without.gaps[0]?.runId).toBe(runId);
    await deleteRun(environment.stateDir, { workflowId: await workflowOf(runId), runId });
    expect(kinds(await population())).toEqual([3, ['missingRun']]);
    const inLog = await population('--trust', await trustWithLog(), '--log', log ?? '');
    expect(kinds(inLog)).toEqual([3, ['missingRun', 'onlyInLog']]);
    expect(inLog.gaps[1]).toMatchObject({ runId, cluster: 'sim-1' });
    await rename(join(archive, `${runId}.away`), join(archive, second));
    const deleted = await population();
    expect([kinds(deleted), deleted.gaps[0]?.runId]).toEqual([[3, ['deleted']], runId]);
  });

  it('is not known where a cluster cannot be read', async () => {
    const inventory = join(archive, 'inventory.yaml');
    const text = await readFile(join(environment.fleetDir, 'inventory.yaml'), 'utf8');
    await writeFile(inventory, text.replace(/"kubeconfig": "[^"]*"/, '"kubeconfig": "/nowhere"'));
    const words = ['audit', 'population', '-f', inventory, '--state-dir', environment.stateDir];
    const said = await environment.command(...words, '--from', '2099-01-01');
    expect(said.stdout).toContain('not read: sim-1');
    expect(said.exit).toBe(8);
  });

  it('takes no export for whole whose evidence is elsewhere, and completes it when it is found', async () => {
    const [out, elsewhere] = [join(archive, 'partial'), join(archive, 'elsewhere')];
    await mkdir(elsewhere);
    const words = ['audit', 'export', '--all', '--out', out, '--state-dir', environment.stateDir];
    const partial = await environment.command(...words, '--evidence-dir', elsewhere);
    expect([partial.exit, partial.stderr]).toEqual([
      8,
      expect.stringMatching(/incomplete: .* of its records are not there/),
    ]);
    const exports = async () => (await readdir(out)).filter((name) => name !== 'bundles');
    const [only = '', ...others] = await exports();
    expect([only, others]).toEqual([expect.stringMatching(/\.incomplete\.json$/), []]);
    const whole = only.replace('.incomplete', '');
    const running = environment.background(...words, '--every', '1s');
    await eventually(STORY_MS, async () => ((await exports()).join() === whole ? 'whole' : null));
    running.child.kill('SIGINT');
    const left = await running.ended;
    expect([left.exit, left.stderr]).toEqual([0, expect.stringContaining('exported cluster-')]);
    const trust = join(environment.stateDir, 'access', 'access-policy.yaml');
    const verified = ['audit', 'verify', join(out, whole), '--trust', trust];
    expect((await environment.command(...verified)).exit).toBe(0);
  });

  it('goes on beside a run that cannot be read, which all who write to the server can bring about', async () => {
    const note = await readFile(join(environment.stateDir, 'server.json'), 'utf8');
    const { address } = JSON.parse(note) as { readonly address: string };
    const connection = await Connection.connect({ address });
    const client = new Client({ connection, dataConverter: dataConverterWith(payloadKeys('k-9')) });
    const poison = { taskQueue: 'nowhere', workflowId: 'cluster-migration/poison', args: [{}] };
    const handle = await client.workflow.start('clusterMigration', poison);
    await handle.terminate();
    await eventually(STORY_MS, async () => {
      const { count } = await client.workflow.count(`ExecutionStatus='Terminated'`);
      return count > 0 ? 'listed' : null;
    });
    await connection.close();
    log = join(archive, 'later-log');
    await beginLog(log, 'later', await readSigningKey(logKeyFile ?? ''));
    const [exit, { added, unreadable }] = await anchorPassed();
    const [why] = unreadable;
    expect([exit, unreadable.length, why]).toEqual([8, 1, expect.stringContaining('"k-9"')]);
    expect(added.length).toBeGreaterThan(0);
    const [state, out] = [environment.stateDir, join(archive, 'again')];
    const words = ['audit', 'export', '--all', '--out', out, '--state-dir', state];
    const exportedAgain = await environment.command(...words);
    expect(exportedAgain.exit).toBe(8);
    expect(exportedAgain.stderr).toContain('not exported: cluster-migration/poison');
    expect((await exportsOf(out)).length).toBe(added.length);
    const { stdout } = await environment.command('audit', 'list', '--state-dir', state);
    expect(stdout).toContain('unreadable');
  });
});
