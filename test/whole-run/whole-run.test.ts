import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { verifyExport } from '../../cli/audit/verify-export.js';
import { packageFile } from '../../devserver/package-files.js';
import { codeDigest } from '../../config/build-id.js';
import { isSchemaName, jsonSchemaOf } from '../../config/json-schemas.js';
import { canary, leaksIn, type Canary } from './canaries.js';
import { secretsOf, useClientCertificate, useWrongToken } from './kubeconfig-secrets.js';
import {
  openOneCluster,
  PATIENT_BUDGETS,
  soaks,
  type OneCluster,
  type Said,
} from './one-cluster.js';
import { brokenManifest, plant, PLANTED } from './planted.js';

/** One long story, so that each process starts once. */
const STORY_MS = 15 * 60_000;
const CCM = '/etc/kubernetes/manifests/cloud-controller-manager.yaml';
const BROKEN = canary('manifest that cannot be read');
const WRONG = canary('token that the API server does not know');

const canaries: Canary[] = [...Object.values(PLANTED), BROKEN, WRONG];
let environment: OneCluster;

beforeAll(async () => {
  environment = await openOneCluster({
    speed: 20,
    spec: { nodes: 1 },
    prepare: plant,
    policy: (text) =>
      `${text.replace('soak: 5s', 'soak: 3s\n  approvals: { handover: required }')}${PATIENT_BUDGETS}`,
    env: { CCM_MIGRATE_LOG_LEVEL: 'debug', CCM_MIGRATE_DEBUG: '1' },
  });
  const { simulator, cluster } = environment;
  canaries.push(...secretsOf(await readFile(simulator.kubeconfigs[cluster.id] ?? '', 'utf8')));
  await environment.startDev();
  await thereWithAToken();
  canaries.push(...useClientCertificate(environment));
  await backWithACertificate();
  await refusedByTheApiServer();
  await brokenByHand();
  await mistakes();
  await environment.stopDev();
}, STORY_MS);

afterAll(() => environment.close(), 60_000);

/** One command that must end with this code; output in `json` is validated below. */
async function says(exit: number, ...argv: readonly string[]): Promise<Said> {
  const said = await environment.command(...argv);
  if (said.exit !== exit) throw new Error(`${argv.join(' ')}: ${JSON.stringify(said)}`);
  return said;
}

const files = (): readonly string[] => ['-f', environment.fleetDir];
const server = (): readonly string[] => ['--state-dir', environment.stateDir];
const json = ['-o', 'json'] as const;
const because = (actor: string): readonly string[] => ['--reason', 'CHG-1', '--actor', actor, '-y'];
const inState = (name: string): string => join(environment.stateDir, name);

async function thereWithAToken(): Promise<void> {
  await says(0, 'lint', environment.fleetDir, ...json);
  await says(0, 'check', ...files(), ...json);
  await says(0, 'plan', ...files(), '--full');
  await says(2, 'plan', ...files(), '--out', inState('plan.json'), '--detailed-exitcode', ...json);
  await says(0, 'apply', inState('plan.json'), ...because('ana'), ...server(), ...json);
  await says(7, 'apply', inState('plan.json'), ...because('ana'), ...server(), ...json);
  await says(0, 'status', 'sim-1', '--until', 'held', ...server(), ...json);
  // It waits for an approval here, however slow this machine is.
  await says(0, 'pause', 'sim-1', ...because('bo'), ...server(), ...json);
  await says(0, 'status', 'sim-1', '--until', 'paused', ...server(), ...json);
  const left = await environment.interrupted('Paused', 'status', 'sim-1', '-w', ...server());
  if (left.exit !== 130 || !left.stderr.includes('the run continues')) {
    throw new Error(JSON.stringify(left));
  }
  await says(124, 'status', 'sim-1', '-w', '--timeout', '1s', ...server(), ...json);
  await says(0, 'resume', 'sim-1', ...because('bo'), ...server(), ...json);
  await says(0, 'status', 'sim-1', '--until', 'held', ...server(), ...json);
  await says(7, 'approve', 'sim-1', ...because('ana'), ...server(), ...json);
  await says(0, 'approve', 'sim-1', ...because('bo'), ...server(), ...json);
  await says(7, 'resume', 'sim-1', ...because('bo'), ...server(), ...json);
  await unreachableWhileItSoaks();
  await says(0, 'status', 'sim-1', '-w', ...server());
  await says(0, 'describe', 'sim-1', ...server());
  await says(0, 'describe', 'sim-1', ...server(), ...json);
}

/** Gates that could not be judged hold the run; the hold ends by itself once they can be. */
async function unreachableWhileItSoaks(): Promise<void> {
  while (!soaks(environment)) await sleep(20);
  const node = environment.cluster.nodes()[0]?.name ?? '';
  environment.cluster.partitionNode(node);
  await says(0, 'status', 'sim-1', '--until', 'held', ...server(), ...json);
  environment.cluster.healNode(node);
}

async function backWithACertificate(): Promise<void> {
  await says(0, 'rollback', 'sim-1', ...because('ana'), ...server(), ...json);
  await says(0, 'status', 'sim-1', '--until', 'rolledBack', ...server(), '-o', 'jsonl');
  await says(4, 'status', 'sim-1', '-w', ...server(), ...json);
  await says(0, 'audit', 'export', 'sim-1', '--out', inState('export.json'), ...server());
  await says(0, 'audit', 'export', 'sim-1', ...server(), ...json);
  // Its worker obeys everyone, so no one signed.
  await says(8, 'audit', 'verify', inState('export.json'), ...json);
  const unsigned = ['--allow', 'signatures', 'results'];
  await says(0, 'audit', 'verify', inState('export.json'), ...unsigned, ...json);
}

/** Commands that never reach a cluster; with those above every exit code is observed from outside. */
async function mistakes(): Promise<void> {
  await says(64, 'stats');
  await says(64, 'pause', 'sim-1', ...server());
  await says(65, 'plan', '-f', inState('nothing.yaml'), ...json);
  await says(1, 'status', '--address', '127.0.0.1:1', ...json);
}

/** The credential expires in the middle of the run. */
async function refusedByTheApiServer(): Promise<void> {
  useWrongToken(environment, WRONG);
  await says(7, 'check', ...files(), ...json);
  // Planned first, so it is refused before anything starts.
  await says(7, 'rollforward', 'sim-1', ...because('ana'), ...server(), ...json);
  useClientCertificate(environment);
  await says(0, 'rollforward', 'sim-1', ...because('ana'), ...server(), ...json);
  await says(0, 'status', 'sim-1', '--until', 'held', ...server(), ...json);
  useWrongToken(environment, WRONG);
  await says(0, 'approve', 'sim-1', ...because('bo'), ...server(), ...json);
  await says(5, 'status', 'sim-1', '-w', ...server(), ...json);
  await says(0, 'describe', 'sim-1', ...server());
  await says(0, 'stop', 'sim-1', ...because('ana'), ...server(), ...json);
  await says(5, 'status', 'sim-1', '--until', 'ended', ...server());
}

async function brokenByHand(): Promise<void> {
  useClientCertificate(environment);
  for (const { files: node } of environment.cluster.nodes())
    node.write(CCM, brokenManifest(BROKEN));
  await says(3, 'check', ...files());
}

describe('a whole run', () => {
  it("the secrets under test reach the cluster's baseline", () => {
    const baseline = environment.cluster.store.get({
      ...{ resource: 'configmaps', namespace: 'kube-system', name: 'ccm-migrate-baseline' },
    });
    const held = leaksIn('baseline', JSON.stringify(baseline), canaries);
    const { variable, lowerCase, flow, argument, url } = PLANTED;
    expect(held).toEqual(
      [variable, lowerCase, flow, argument, url].map(({ place }) => `baseline: ${place}`),
    );
    const [, , plan] = environment.said;
    expect(plan?.stdout).toContain('[redacted]');
  });

  it.each([
    ['in plain text', (value: string) => value],
    ['in base64', (value: string) => Buffer.from(`{"x":"${value}"}`).toString('base64')],
    ['in base64 of base64', (value: string) => btoa(JSON.stringify({ data: btoa(value) }))],
  ])('the leak check finds a canary %s', (_how, written) => {
    const { variable } = PLANTED;
    const text = `before ${written(variable.value)} after`;
    expect(leaksIn('x', text, canaries)).toEqual([`x: ${variable.place}`]);
  });

  it('no secret gets into what commands, dev and worker print', () => {
    const leaks = environment.said.flatMap(({ argv, stdout, stderr }) =>
      leaksIn(argv.slice(0, 2).join(' '), stdout + stderr, canaries),
    );
    expect(leaks).toEqual([]);
  });

  it('no secret gets into database, histories, logs, evidence, plans and exports', async () => {
    const written = await readdir(environment.stateDir, { recursive: true, withFileTypes: true });
    const paths = written
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
    const kinds = paths.map((path) => relative(environment.stateDir, path).split('/')[0]);
    expect(kinds).toEqual(
      expect.arrayContaining(['temporal.db', 'logs', 'worker', 'exports', 'plan.json']),
    );
    const leaks: string[] = [];
    for (const path of paths) {
      leaks.push(...leaksIn(path, (await readFile(path)).toString('latin1'), canaries));
    }
    expect(leaks).toEqual([]);
  });

  it('commands exit with the code of their outcome, and print data on stdout only', () => {
    const codes = new Set(environment.said.map(({ exit }) => exit));
    expect([...codes].sort((one, other) => one - other)).toEqual([
      0, 1, 2, 3, 4, 5, 7, 8, 64, 65, 124, 130,
    ]);
    const refused = environment.said.filter(({ exit }) => [1, 7, 64, 65].includes(exit));
    const ofText = refused.filter(({ argv }) => !argv.includes('json'));
    expect(ofText.map(({ stdout }) => stdout)).toEqual(ofText.map(() => ''));
    expect(refused.map(({ stderr }) => stderr)).not.toContain('');
  });

  it('-o json prints documents that fit the published schemas', () => {
    const documents = environment.said
      .filter(({ argv }) => argv.includes('json'))
      .map(({ argv, stdout }) => ({ argv: argv.join(' '), stdout }))
      .filter(({ stdout }) => stdout !== '');
    const kinds = documents.map(({ argv, stdout }) => [argv, kindOf(JSON.parse(stdout))] as const);
    expect(kinds.filter(([, kind]) => kind.startsWith('not '))).toEqual([]);
    expect(new Set(kinds.map(([, kind]) => kind))).toEqual(
      new Set([
        ...['LintReport', 'CheckReport', 'MigrationPlan', 'RunStarted', 'RunStatus'],
        ...['CommandResult', 'AuditExport', 'AuditVerification', 'CommandError'],
      ]),
    );
  });

  it('-o jsonl streams a status, each line as its schema says', () => {
    const streams = environment.said.filter(({ argv }) => argv.includes('jsonl'));
    const lines = streams.flatMap(({ stdout }) => stdout.trim().split('\n'));
    const [first, ...others] = lines.map((line) => JSON.parse(line) as unknown);
    expect(first).toEqual({ type: 'version', schema: 'ccm-migrate.dev/v1alpha1' });
    expect(new Set(others.map(kindOf))).toEqual(new Set(['RunStatus']));
  });

  it('an export reveals any flipped bit', async () => {
    const whole = await readFile(inState('export.json'));
    const ourCode = await codeDigest(packageFile('dist'));
    expect(await failedChecks(whole, ourCode)).toEqual([]);
    const byteOf = fc.nat({ max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(byteOf, fc.nat({ max: 7 }), async (byte, bit) => {
        const tampered = Buffer.from(whole);
        tampered[byte] = (tampered[byte] ?? 0) ^ (1 << bit);
        return (await failedChecks(tampered, ourCode)).length > 0;
      }),
      { numRuns: 150 },
    );
  }, 300_000);
});

/** The kind of a document that fits its schema, else what is wrong with it. */
function kindOf(document: unknown): string {
  const { kind } = document as { readonly kind: string };
  if (!isSchemaName(kind)) return `not published: ${kind}`;
  const ajv = new Ajv({ strict: false });
  return ajv.validate(jsonSchemaOf(kind), document)
    ? kind
    : `not a ${kind}: ${ajv.errorsText(ajv.errors)}`;
}

async function failedChecks(bytes: Buffer, ourCode: string): Promise<readonly string[]> {
  const { checks } = await verifyExport(bytes.toString('utf8'), ourCode);
  return checks.filter(({ result }) => result === 'fail').map(({ check }) => check);
}
