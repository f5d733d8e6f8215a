import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, type ApiEnvironment } from './bare-cluster.js';
import type { TestAnswer, TestCall } from './https-client.js';

let environment: ApiEnvironment;
beforeAll(async () => {
  environment = await openApiEnvironment();
});
afterAll(async () => environment.end());

const hash = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('node access', () => {
  const call = (method: string, rest: string, body?: unknown): Promise<TestAnswer> =>
    environment.admin.call(
      method,
      `/node-access/v2/nodes/cp-1/${rest}`,
      body === undefined ? {} : { body },
    );
  const PATH = 'files?path=/etc/kubernetes/manifests/a.yaml';

  it('node access writes, reads, lists and removes a file, each against its content', async () => {
    const written = await call('PUT', PATH, { content: 'one', expect: 'absent', epoch: 5 });
    expect(written.json).toEqual({ hash: hash('one') });
    const read = await call('GET', PATH);
    expect(read.json).toEqual({
      path: '/etc/kubernetes/manifests/a.yaml',
      content: 'one',
      hash: hash('one'),
      mode: '0600',
      changedAtMs: 0,
    });
    const folders = 'directory=/etc/kubernetes/manifests&directory=/nowhere';
    expect((await call('GET', `snapshot?${folders}`)).json).toMatchObject({
      directories: [
        {
          path: '/etc/kubernetes/manifests',
          items: [{ name: 'a.yaml', hash: hash('one') }],
        },
        { path: '/nowhere', items: [] },
      ],
    });
    const stale = await call('PUT', PATH, { content: 'two', expect: 'absent', epoch: 5 });
    expect([stale.status, stale.json.reason]).toEqual([409, 'Conflict']);
    const gone = await call('DELETE', `${PATH}&expect=${hash('one')}&epoch=5`);
    expect([gone.status, gone.json]).toEqual([200, {}]);
    const again = await call('DELETE', `${PATH}&expect=absent&epoch=5`);
    expect(again.status).toBe(200);
    expect((await call('GET', PATH)).status).toBe(404);
  });

  it('node access stores the newest epoch of the node, and refuses older ones', async () => {
    const at = (epoch: number, expectHash = 'absent'): Promise<TestAnswer> =>
      call('PUT', 'files?path=/etc/epochs', { content: 'x', expect: expectHash, epoch });
    expect((await at(7)).status).toBe(200);
    const older = await at(6, hash('x'));
    expect([older.status, older.json.reason]).toEqual([409, 'StaleEpoch']);
    // A newer epoch counts even when its write is refused for the content.
    expect((await at(9)).json.reason).toBe('Conflict');
    expect((await at(8, hash('x'))).json.reason).toBe('StaleEpoch');
    const kill = await call('POST', 'kill', { pid: 813, startTicks: 150, epoch: 8 });
    expect(kill.json.reason).toBe('StaleEpoch');
  });

  it('node access shows the actual state of the host', async () => {
    expect((await call('GET', 'host')).json).toEqual({
      hostname: 'cp-1.example',
      bootId: 'boot-1',
      bootTimeMs: 1000,
      nowMs: expect.any(Number),
      kubelets: [],
      processes: [
        {
          pid: 812,
          manager: 'kcm',
          startTicks: 100,
          startedAtMs: 2000,
          arguments: ['--leader-elect'],
          paused: false,
        },
        {
          pid: 813,
          manager: 'ccm',
          startTicks: 150,
          startedAtMs: 2500,
          arguments: [],
          paused: true,
        },
      ],
    });
  });

  it('node access serves metrics, and 404 where nothing listens', async () => {
    const kcm = await call('GET', 'metrics?manager=kcm');
    expect([kcm.text, kcm.headers['content-type']]).toEqual([
      'leader_election_master_status 1\n',
      'text/plain; charset=utf-8',
    ]);
    expect((await call('GET', 'metrics?manager=ccm')).status).toBe(404);
  });

  it('node access kills this very process only, and only while it is stopped', async () => {
    const answers = [
      [{ pid: 1, startTicks: 150 }, 404, 'NotFound'],
      [{ pid: 813, startTicks: 151 }, 404, 'NotFound'],
      [{ pid: 813 }, 400, 'BadRequest'],
      [{ pid: 812, startTicks: 100 }, 409, 'NotStopped'],
    ] as const;
    for (const [process, status, reason] of answers) {
      const answer = await call('POST', 'kill', { ...process, epoch: 9 });
      expect([answer.status, answer.json.reason]).toEqual([status, reason]);
    }
    expect(environment.cluster.killed).toEqual([]);
    const named = { pid: 813, startTicks: 150, epoch: 9 };
    expect((await call('POST', 'kill', named)).json).toEqual({});
    expect(environment.cluster.killed).toEqual([813]);
  });

  it.each<[string, string, string, TestCall, number, string]>([
    ['an unknown node', 'GET', 'v2/nodes/cp-9/host', {}, 404, 'NotFound'],
    ['a path with dots', 'GET', 'v2/nodes/cp-1/files?path=/etc/../root', {}, 400, 'BadRequest'],
    ['a relative path', 'GET', 'v2/nodes/cp-1/files?path=etc', {}, 400, 'BadRequest'],
    ['no epoch', 'DELETE', 'v2/nodes/cp-1/files?path=/a&expect=absent', {}, 400, 'BadRequest'],
    ['no content', 'PUT', 'v2/nodes/cp-1/files?path=/a', { body: {} }, 400, 'BadRequest'],
    ['an unknown manager', 'GET', 'v2/nodes/cp-1/metrics?manager=x', {}, 400, 'BadRequest'],
    ['an unknown part', 'GET', 'v2/nodes/cp-1/shell', {}, 404, 'NotFound'],
    ['an older version of the contract', 'GET', 'v1/nodes/cp-1/host', {}, 404, 'NotFound'],
    ['no cluster', 'GET', 'v2/nodes/cp-1/host?cluster=', {}, 400, 'BadRequest'],
    ['no authority', 'GET', 'v2/nodes/cp-1/host?cluster=uid', {}, 400, 'BadRequest'],
    [
      'another cluster’s authority',
      'GET',
      'v2/nodes/cp-1/host?cluster=uid&authority=00',
      {},
      403,
      'ForeignCluster',
    ],
    [
      'a body beyond 1 MiB',
      'PUT',
      'v2/nodes/cp-1/files?path=/a',
      { body: { content: 'x'.repeat(1024 * 1024) } },
      413,
      'RequestEntityTooLarge',
    ],
  ])(
    'node access refuses a request with %s',
    async (_name, method, path, request, code, reason) => {
      const { status, json } = await environment.admin.call(
        method,
        `/node-access/${path}`,
        request,
      );
      expect([status, json.reason]).toEqual([code, reason]);
    },
  );

  it('node access reports a node that cannot be reached', async () => {
    environment.cluster.setReachable(false);
    const { status, json } = await call('GET', 'host');
    environment.cluster.setReachable(true);
    expect([status, json.reason]).toEqual([503, 'NodeUnreachable']);
  });
});

describe('machines API', () => {
  const MACHINE = '/machines-api/v1/machines/cp-4';
  const order = {
    side: 'target',
    version: '1.30.14',
    files: { '/etc/a': 'x' },
    epoch: 4,
    idempotencyKey: 'k',
  };

  it('the machines API passes an order on, and answers 201', async () => {
    const { status, json } = await environment.admin.call('PUT', MACHINE, { body: order });
    expect([status, json.state]).toEqual([201, 'ordered']);
    expect(environment.cluster.orders).toContainEqual({ name: 'cp-4', ...order });
  });

  it('the machines API maps deleting, gone and refusals to their codes', async () => {
    const remove = async (name: string, epoch: number): Promise<[number, unknown]> => {
      const path = `/machines-api/v1/machines/${name}?epoch=${epoch}&idempotencyKey=d`;
      const { status, json } = await environment.admin.call('DELETE', path);
      return [status, json.reason];
    };
    expect(await remove('cp-4', 4)).toEqual([202, undefined]);
    expect(await remove('cp-5', 4)).toEqual([200, undefined]);
    expect(await remove('cp-4', 2)).toEqual([409, 'StaleEpoch']);
  });

  it('the machines API lists machines and its capabilities', async () => {
    const list = await environment.admin.call('GET', '/machines-api/v1/machines');
    const able = await environment.admin.call('GET', '/machines-api/v1/capabilities');
    expect([list.json, able.json]).toEqual([{ items: [] }, { etcdMemberRemoval: 'machinesApi' }]);
  });

  it.each([
    ['another side', { ...order, side: 'both' }],
    ['no key', { ...order, idempotencyKey: '' }],
    ['an epoch that is no number', { ...order, epoch: '4' }],
    ['a file below no root', { ...order, files: { 'etc/a': 'x' } }],
  ])('the machines API refuses an order with %s', async (_name, body) => {
    expect((await environment.admin.call('PUT', MACHINE, { body })).status).toBe(400);
  });
});
