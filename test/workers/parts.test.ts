import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  ActivitySlotInfo,
  CustomSlotSupplier,
  TunerHolder,
  WorkerOptions,
} from '@temporalio/worker';
import { digestText } from '../../domain/digest.js';
import { activityLog, createLog, temporalLog } from '../../workers/logging.js';
import { type Health, serveHealth } from '../../workers/health-server.js';
import { type WorkerParts, readRoles, workerOptions } from '../../workers/worker-options.js';
import { readBundle } from '../../config/bundle-file.js';
import { writeBundle } from '../../workers/workflow-bundle.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-worker-'));
});
afterEach(async () => rm(folder, { recursive: true }));

describe('roles', () => {
  it('a worker has every role unless some are named', () => {
    expect(readRoles([])).toEqual(['workflows', 'fleets', 'steps', 'waits', 'guards']);
    expect(readRoles(['--roles', 'guards, steps,guards'])).toEqual(['guards', 'steps']);
  });

  it.each([
    [['--roles']],
    [['--role', 'steps']],
    [['--roles', 'all']],
    [['--roles', 'steps', 'x']],
  ])('the roles %j are rejected', (argv) => {
    expect(() => readRoles(argv)).toThrow(/usage: worker/);
  });
});

/** Those of guards are handed out by a supplier, which is asked until it has no more. */
function slotsOf({ tuner, maxConcurrentActivityTaskExecutions }: WorkerOptions) {
  if (tuner === undefined) return maxConcurrentActivityTaskExecutions;
  const { activityTaskSlotSupplier } = tuner as TunerHolder;
  const { tryReserveSlot } = activityTaskSlotSupplier as CustomSlotSupplier<ActivitySlotInfo>;
  let slots = 0;
  while (tryReserveSlot({} as never) !== null) slots += 1;
  return slots;
}

describe('slots', () => {
  it('steps have as many slots as waits and guards, and separate ones: waiting starves no step', () => {
    const parts = {
      region: 'eu',
      clusterSlots: 7,
      bundle: { digest: '' },
      build: '',
      steps: {},
      guards: {},
      gate: { admits: () => true, onAdmitting: () => undefined },
    };
    const options = (['steps', 'waits', 'guards'] as const).map((role) =>
      workerOptions(role, parts as unknown as WorkerParts),
    );
    expect(options.map(slotsOf)).toEqual([7, 7, 7]);
    expect(new Set(options.map(({ taskQueue }) => taskQueue)).size).toBe(3);
  });
});

describe('a worker that receives SIGTERM', () => {
  it('lets its steps run for as long as its environment allows', () => {
    const parts = {
      region: 'eu',
      bundle: { digest: '' },
      build: '',
      steps: {},
      guards: {},
      shutdownGraceMs: 60_000,
    };
    const { shutdownGraceTime, shutdownForceTime } = workerOptions(
      'steps',
      parts as unknown as WorkerParts,
    );
    expect([shutdownGraceTime, shutdownForceTime]).toEqual([60_000, 65_000]);
  });
});

describe('versioning', () => {
  it.each([
    ['off', { useWorkerVersioning: false }],
    ['on', { useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' }],
  ] as const)('worker versioning can be %s', (versioning, expected) => {
    const parts = { region: 'eu', bundle: { digest: 'sha256:x' }, build: 'sha256:y', versioning };
    const options = workerOptions('workflows', parts as unknown as WorkerParts);
    expect(options.workerDeploymentOptions).toMatchObject({
      ...expected,
      version: { deploymentName: 'ccm-migrate', buildId: 'x-y' },
    });
  });
});

describe('fleets', () => {
  const given = { region: 'eu', bundle: { digest: 'x', code: '' }, build: '', fleets: {} };
  const options = (versioning: 'on' | 'off') =>
    workerOptions('fleets', { ...given, payloadKeys: '', versioning } as unknown as WorkerParts);

  it('a worker of fleets serves their workflows beside their activities, on a queue of their own', () => {
    expect(options('off')).toMatchObject({
      ...{ taskQueue: 'ccm-migrate-fleets', workflowBundle: { code: '' } },
      workerDeploymentOptions: { useWorkerVersioning: false },
    });
  });

  it('an execution stays with the build that began it, since it decides in the workflow', () => {
    expect(options('on').workerDeploymentOptions).toMatchObject({
      ...{ useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' },
    });
  });
});

describe('health', () => {
  let health: Health | undefined;
  afterEach(() => health?.close());

  it('a worker is alive at once, and ready when nothing is missing', async () => {
    let missing: readonly string[] = ['guards: INITIALIZED'];
    health = await serveHealth({ host: '127.0.0.1', port: 0 }, () => missing);
    const get = async (path: string): Promise<readonly [number, string]> => {
      const answer = await fetch(`http://${health?.address ?? ''}${path}`);
      return [answer.status, (await answer.text()).trim()];
    };
    expect(await get('/livez')).toEqual([200, 'ok']);
    expect(await get('/readyz')).toEqual([503, 'guards: INITIALIZED']);
    missing = [];
    expect(await get('/readyz')).toEqual([200, 'ok']);
    expect(await get('/metrics')).toEqual([404, 'try /livez or /readyz']);
  });
});

describe('logs', () => {
  it('logs are JSON lines without secrets, whichever component writes them', () => {
    const lines: string[] = [];
    const stream = new PassThrough();
    stream.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const log = createLog('info', stream);
    const token = 'eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl';
    activityLog(log).warn(`asked with Bearer ${token}`, { header: `Bearer ${token}` });
    activityLog(log).info('observed');
    const sdk = temporalLog(log);
    sdk.error('activity failed', { workflowId: 'w', secret: token, error: new Error(token) });
    for (const level of ['trace', 'debug', 'info', 'warn'] as const) sdk[level](level);
    const written = lines.join('');
    expect(written).not.toContain('c2lnbmF0dXJl');
    const [first] = written.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({
      level: 'warn',
      service: 'ccm-migrate-worker',
      msg: 'asked with Bearer [redacted]',
    });
    expect(written).toContain('"workflowId":"w"');
    expect(written).not.toContain('"msg":"debug"');
  });

  it('the log of a failed workflow task gives the cause and the code to look it up by', () => {
    const lines: string[] = [];
    const stream = new PassThrough();
    stream.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const sdk = temporalLog(createLog('info', stream));
    // In the form that the SDK's core logs it.
    const failure =
      'Failure { failure: Some(Failure { message: "[TMPRL1100] Nondeterminism error: no \\"x\\" here", source: "" }), force_cause: NonDeterministicError }';
    sdk.warn('Failing workflow task', { sdkComponent: 'core', runId: 'r', failure });
    const error = new Error('outer', { cause: new Error('the cause') });
    sdk.error('Worker failed', { error });
    const [task, worker] = lines.map((line) => JSON.parse(line) as object);
    expect(task).toMatchObject({
      msg: 'Failing workflow task',
      runId: 'r',
      code: 'CCM4029',
      error: expect.stringContaining('[TMPRL1100] Nondeterminism error: no'),
    });
    expect(JSON.stringify(task)).not.toContain('force_cause');
    expect(worker).toMatchObject({ error: 'outer: the cause' });
    expect(worker).not.toHaveProperty('code');
  });
});

describe('the workflow bundle', () => {
  it('the workflow bundle is accepted only if it is the one that was built', async () => {
    const path = join(folder, 'bundle.js');
    await expect(readBundle(path)).rejects.toThrow(/run `npm run build` first/);
    const bundle = { code: 'export {}', digest: digestText('export {}') };
    await writeBundle(bundle, path);
    expect(await readBundle(path)).toEqual(bundle);
    await writeFile(path, `${await readFile(path, 'utf8')} `);
    await expect(readBundle(path)).rejects.toThrow(/changed after its build/);
  });
});
