import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { compiledProgram } from '../../../../devserver/package-files.js';
import { startChild, type Child } from '../../../../devserver/processes/child.js';
import {
  openOneCluster,
  PATIENT_BUDGETS,
  type OneCluster,
} from '../../../whole-run/one-cluster.js';
import { untilSo } from '../truth/until.js';
import { describeInWholeLab } from '../wanted.js';
import { openRealAlerts, type RealAlerts } from './real-alerts.js';

jest.setTimeout(15 * 60_000);

/** From the rule's first firing to both runs being paused. */
const PAUSED_WITHIN_MS = 10_000;
const SPEED = 10;

interface Paused {
  readonly pause: string;
  readonly pausedBy: { readonly actor: string; readonly reason: string } | null;
}

describeInWholeLab('alerts of a real Prometheus, told by a real Alertmanager as we ship it', () => {
  const environments: OneCluster[] = [];
  let alerts: RealAlerts | null = null;
  const servers: Child[] = [];
  beforeAll(async () => {
    const first = await openOneCluster({
      speed: SPEED,
      also: ['sim-2'],
      policy: (text) => `${text.replace('soak: 5s', 'soak: 30m')}${PATIENT_BUDGETS}`,
    });
    environments.push(first);
    await first.startDev();
  });
  afterAll(async () => {
    await alerts?.close();
    for (const server of servers) await server.stop();
    for (const environment of environments) await environment.close();
  });

  it('pause two runs within ten seconds after the rule fires', async () => {
    const [environment] = environments;
    if (environment === undefined) throw new Error('nothing was opened');
    const names = ['sim-1', 'sim-2'];
    for (const name of names) await start(environment, name);
    for (const name of names)
      await untilSo(
        `${name} soaks`,
        async () => (await statusOf(environment, name)).inFlight === 'soaking',
        { withinMs: 300_000 },
      );
    const statuses = await Promise.all(names.map((name) => statusOf(environment, name)));
    const clusters = statuses.map(({ workflowId }) => ({ uid: workflowId.split('/')[1] ?? '' }));
    const served = await serve(environment);
    servers.push(served.server);
    alerts = await openRealAlerts({
      ...{ folder: join(environment.stateDir, 'alerts'), clusters },
      ...{ hooksUrl: served.url, tokenFile: served.tokenFile },
    });
    alerts.turnBad();
    const pausedAtMs: number[] = [];
    for (const name of names) {
      const end = await environment.command(
        ...['status', name, '--until', 'paused', '--timeout', '2m'],
        ...['--state-dir', environment.stateDir],
      );
      expect(end.exit).toBe(0);
      pausedAtMs.push(Date.now());
    }
    const firing = await alerts.firingSince();
    const tookMs = clusters.map(
      ({ uid }, index) => (pausedAtMs[index] ?? NaN) - (firing.get(uid) ?? NaN),
    );
    process.stderr.write(
      `paused ${tookMs.map((ms) => (ms / 1000).toFixed(1)).join(' s and ')} s after the rule fired\n`,
    );
    for (const name of names)
      expect(await statusOf(environment, name)).toMatchObject({
        pause: 'paused',
        pausedBy: {
          actor: 'automation/alertmanager',
          reason: 'alert CloudRefusesCalls: the cloud refuses calls',
        },
      });
    for (const ms of tookMs) expect(ms).toBeLessThanOrEqual(PAUSED_WITHIN_MS);
  });
});

async function start(environment: OneCluster, name: string): Promise<void> {
  const { fleetDir, stateDir } = environment;
  const plan = join(stateDir, `${name}.json`);
  const planned = await environment.command(
    ...['plan', '-f', fleetDir, '--cluster', name, '--out', plan],
  );
  expect(planned).toMatchObject({ exit: 0 });
  const begun = await environment.command(
    ...['apply', plan, '--reason', 'an alert comes', '--yes'],
    ...['--state-dir', stateDir],
  );
  expect(begun).toMatchObject({ exit: 0 });
}

interface SeenStatus extends Paused {
  readonly inFlight: string;
  readonly workflowId: string;
}

async function statusOf(environment: OneCluster, name: string): Promise<SeenStatus> {
  const said = await environment.command(
    ...['status', name, '-o', 'json', '--state-dir', environment.stateDir],
  );
  return (JSON.parse(said.stdout) as { readonly status: SeenStatus }).status;
}

interface ServedHooks {
  readonly server: Child;
  readonly url: string;
  readonly tokenFile: string;
}

/** `ccm-migrate server` as a process of its own, with a token of Alertmanager. */
async function serve({ stateDir }: OneCluster): Promise<ServedHooks> {
  const [tokens, tokenFile] = [join(stateDir, 'tokens.json'), join(stateDir, 'am.token')];
  const token = randomBytes(32).toString('hex');
  await writeFile(tokenFile, token, { mode: 0o600 });
  const sha256 = createHash('sha256')
    .update(await readFile(tokenFile))
    .digest('hex');
  const entry = {
    ...{ name: 'alertmanager', sha256, expires: '2999-01-01T00:00:00Z' },
    ...{ clusters: ['*'], verbs: ['pause'] },
  };
  const document = { apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AutomationTokens' };
  await writeFile(tokens, JSON.stringify({ ...document, tokens: [entry] }), { mode: 0o600 });
  const { PATH = '', HOME = '' } = process.env;
  const server = await startChild({
    ...{ name: 'server', program: compiledProgram('cli', 'main.js') },
    logFile: join(stateDir, 'server.log'),
    arguments: [
      ...['server', '--tokens', tokens, '--listen', '127.0.0.1:0', '-o', 'json'],
      ...['--state-dir', stateDir],
    ],
    env: { PATH, HOME },
  });
  const url = await server.line((line) => /"url":"([^"]+)"/.exec(line)?.[1] ?? null, 60_000);
  return { server, url, tokenFile };
}
