import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import {
  metric,
  notification,
  OLD_TOKEN,
  openHooks,
  post,
  runInStep,
  signals,
  TOKEN,
  type HookLab,
} from './support/hook-lab.js';
import { modelCluster } from './support/model-cluster.js';
import { openLab, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
let hooks: HookLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());
beforeEach(async () => {
  hooks = await openHooks();
  await hooks.scope('h-*');
});
afterEach(() => hooks.close());

const hookServer = (): Promise<string> => hooks.serve(lab.environment.client);

describe('who may call', () => {
  it('a forged, an expired and a missing token are refused and counted, and nothing reaches a run', async () => {
    const url = await hookServer();
    const cluster = modelCluster('h-forged');
    const handle = await lab.start(cluster);
    const alert = notification([{ cluster: cluster.observation.cluster.uid }]);
    for (const token of [`${TOKEN}x`, OLD_TOKEN, null]) {
      expect(await post(url, alert, token)).toMatchObject({ status: 401, results: [] });
    }
    for (const reason of ['unknown', 'expired', 'missing']) {
      const series = `ccm_migrate_hook_unauthorized_total{reason="${reason}"}`;
      expect(await metric(url, series)).toBe(1);
    }
    expect(await signals(handle)).toBe(0);
    expect(JSON.stringify(hooks.logged)).not.toContain('a-token');
    await handle.terminate();
  }, 60_000);

  it('a run out of the scope of the token is refused by its real name, whatever the labels say, and that is counted', async () => {
    const url = await hookServer();
    const cluster = modelCluster('other-scope');
    const handle = await lab.start(cluster);
    const labels = { cluster: 'h-mine' };
    const alert = notification([{ cluster: cluster.observation.cluster.uid, labels }]);
    expect(await post(url, alert)).toMatchObject({
      status: 403,
      results: [{ outcome: 'forbidden' }],
    });
    expect(await metric(url, 'ccm_migrate_hook_forbidden_total')).toBe(1);
    expect(await signals(handle)).toBe(0);
    await hooks.scope('other-*');
    expect(await post(url, alert)).toMatchObject({ status: 202 });
    await handle.terminate();
  }, 60_000);

  it('a flood of forged calls is turned away with a time to try again, and does not keep out who has a token', async () => {
    const url = await hookServer();
    const alert = notification([{ cluster: 'none' }]);
    const forged = await Promise.all(Array.from({ length: 60 }, () => post(url, alert, 'forged')));
    expect(forged.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
    const late = forged.filter(({ status }) => status === 503);
    expect(late.length).toBeGreaterThan(0);
    expect(late.every(({ retryAfter }) => retryAfter === '5')).toBe(true);
    expect(await post(url, alert)).toMatchObject({ status: 200 });
  }, 60_000);
});

describe('what may be sent', () => {
  it.each([
    ['an unknown cluster', notification([{ cluster: 'none' }]), 'unmatched'],
    ['no label that names a run', notification([{ cluster: '' }]), 'noTarget'],
    ['a query in the place of a name', notification([{ cluster: `x' OR Cluster='y` }]), 'noTarget'],
    ['a verb of people', notification([{ cluster: 'none', verb: 'approve' }]), 'badVerb'],
  ])('%s is answered with 200 and logged', async (_what, body, outcome) => {
    const url = await hookServer();
    expect(await post(url, body)).toMatchObject({ status: 200, results: [{ outcome }] });
    expect(hooks.logged).toContainEqual(expect.objectContaining({ outcome, token: 'am' }));
  });

  it.each([
    ['more than 1 MiB', `"${'x'.repeat(1024 * 1024)}"`, 413],
    [
      'more than 500 alerts',
      notification(Array.from({ length: 501 }, () => ({ cluster: 'c' }))),
      413,
    ],
    ['JSON of endless depth', '['.repeat(200), 413],
    ['no JSON', '{', 400],
    ['another version', notification([], { version: '3' }), 400],
    ['a time that is none', notification([{ cluster: 'c', startsAt: 'yesterday' }]), 400],
  ])('%s is refused', async (_what, body, status) => {
    const url = await hookServer();
    expect(await post(url, body)).toMatchObject({ status, results: [] });
  });

  it('a body that grows beyond 1 MiB without saying so is refused before it has ended', async () => {
    const url = await hookServer();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${url}/v1/hooks/generic`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      });
      request.on('response', (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      // It never ends.
      request.write(Buffer.alloc(1024 * 1024 + 1, 32));
    });
    expect(status).toBe(413);
  }, 60_000);

  it('Grafana and any other sender have a format of their own', async () => {
    const url = await hookServer();
    const grafana = notification([{ cluster: 'none' }], {
      version: '1',
      orgId: 1,
      state: 'alerting',
    });
    expect(await post(url, grafana, TOKEN, 'grafana')).toMatchObject({ status: 200 });
    const alerts = [{ id: 'a', startsAt: '2026-01-01T00:00:00Z', labels: { cluster: 'none' } }];
    expect(await post(url, { version: '1', alerts }, TOKEN, 'generic')).toMatchObject({
      ...{ status: 200, results: [{ outcome: 'unmatched' }] },
    });
    const unknown = { version: '1', alerts, resume: true };
    expect(await post(url, unknown, TOKEN, 'generic')).toMatchObject({ status: 400 });
  });
});

describe('Temporal is away', () => {
  it('a hook answers 503 with a time to try again, and readiness says so, while liveness stays', async () => {
    const connection = Connection.lazy({ address: '127.0.0.1:1', connectTimeout: 300 });
    const url = await hooks.serve(new Client({ connection }), 950);
    const answer = await post(url, notification([{ cluster: 'any' }]));
    expect(answer).toMatchObject({
      ...{ status: 503, retryAfter: '5', results: [{ outcome: 'unavailable' }] },
    });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const ready = await hookServer();
    expect((await fetch(`${ready}/readyz`)).status).toBe(200);
  }, 60_000);
});

describe('a storm of alerts', () => {
  it('ten rollbacks a minute of one token are stored and the next is asked for again, but a pause is stored always', async () => {
    await lab.withWorker(async () => {
      const url = await hookServer();
      const { handle, uid, release } = await runInStep(lab, 'h-storm');
      const turn = async (index: number) =>
        post(
          url,
          notification([{ cluster: uid, verb: 'rollBack', fingerprint: `turn-${String(index)}` }]),
        );
      const storm = await Promise.all(Array.from({ length: 11 }, async (_, index) => turn(index)));
      expect(storm.filter(({ status }) => status === 202)).toHaveLength(10);
      expect(storm.filter(({ status }) => status === 503)).toMatchObject([
        { retryAfter: '5', results: [{ outcome: 'tooMany' }] },
      ]);
      expect(await metric(url, 'ccm_migrate_hook_alerts_total{outcome="tooMany"}')).toBe(1);
      const pause = notification([{ cluster: uid, fingerprint: 'pause' }]);
      expect(await post(url, pause)).toMatchObject({ status: 202, results: [{ outcome: 'sent' }] });
      release();
      await handle.terminate();
    });
  }, 60_000);
});
