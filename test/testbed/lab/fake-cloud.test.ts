import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LabCloud } from '../../../testbed/lab/cloud/lab-cloud.js';

const CALL = {
  ...{ cluster: 'lab-1', node: 'cp-1', component: 'kube-controller-manager', process: 'a1' },
  ...{ pid: 1, version: 'v1.29.15', sentMs: 5 },
};

describe('the fake cloud answers and journals every call', () => {
  let folder: string;
  let cloud: LabCloud;
  let token: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-cloud-'));
    const journalFile = join(folder, 'journal.ndjson');
    cloud = new LabCloud({ address: '127.0.0.1', port: await freePort(), journalFile });
    token = cloud.addCluster('lab-1').token;
    await cloud.start();
  });
  afterEach(async () => {
    await cloud.stop();
    rmSync(folder, { recursive: true });
  });

  async function call(
    op: string,
    args: Record<string, string> = {},
    shown = token,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = await fetch(`${cloud.url}/v1/calls`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shown}` },
      body: JSON.stringify({ ...CALL, op, args }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  it('the fake cloud stores load balancers, and assigns no address twice', async () => {
    const args = { loadBalancer: 'a1', service: 'default/web', nodes: 'cp-1' };
    expect((await call('GetLoadBalancer', args)).body).toMatchObject({ found: false });
    const { body: first } = await call('EnsureLoadBalancer', args);
    expect((await call('EnsureLoadBalancer', args)).body).toEqual(first);
    await call('EnsureLoadBalancerDeleted', args);
    expect((await call('EnsureLoadBalancer', args)).body['address']).not.toBe(first['address']);
  });

  it('the fake cloud stores routes and instances', async () => {
    const route = { node: 'cp-1', destination: '10.244.0.0/24' };
    await call('CreateRoute', route);
    expect((await call('ListRoutes')).body['routes']).toEqual([
      { name: 'cp-1-10.244.0.0/24', ...route },
    ]);
    await call('DeleteRoute', route);
    expect((await call('ListRoutes')).body['routes']).toEqual([]);
    expect((await call('InstanceExists', { instance: 'cp-1' })).body['found']).toBe(false);
  });

  it('the fake cloud journals the caller, the object and the change', async () => {
    const args = { loadBalancer: 'a1', service: 'default/web', nodes: 'cp-1' };
    await call('EnsureLoadBalancer', args);
    await call('EnsureLoadBalancer', args);
    const [first, second] = cloud.journal();
    expect(first).toMatchObject({
      ...CALL,
      op: 'EnsureLoadBalancer',
      outcome: 'done',
      changed: true,
    });
    expect(second).toMatchObject({ index: 1, changed: false });
    const written = readFileSync(cloud.journalFile, 'utf8').trim().split('\n');
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual(cloud.journal());
  });

  it('the fake cloud fails as often as requested, without effect, and only for the named calls', async () => {
    cloud.setFaults([{ op: 'CreateRoute', error: 'quota', times: 1 }]);
    const route = { node: 'cp-1', destination: '10.244.0.0/24' };
    expect((await call('InstanceExists', { instance: 'cp-1' })).status).toBe(200);
    expect(await call('CreateRoute', route)).toMatchObject({
      status: 503,
      body: { message: 'quota' },
    });
    expect((await call('ListRoutes')).body['routes']).toEqual([]);
    expect((await call('CreateRoute', route)).status).toBe(200);
    expect(cloud.journal()[1]).toMatchObject({
      outcome: 'failed',
      reason: 'quota',
      changed: false,
    });
  });

  it('the fake cloud refuses strangers and invalid requests, and journals neither as a call', async () => {
    expect((await call('ListRoutes', {}, 'another')).status).toBe(401);
    expect((await call('ListRoutes', {}, '')).status).toBe(401);
    const nonsense = await fetch(`${cloud.url}/v1/calls`, { method: 'POST', body: '{"op":1}' });
    expect(nonsense.status).toBe(400);
    expect(cloud.journal()).toEqual([]);
    expect((await call('FormatDisk')).status).toBe(400);
    expect((await call('CreateRoute', { node: 'cp-1' })).status).toBe(400);
  });
});

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
