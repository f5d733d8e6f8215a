import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, type ApiEnvironment } from './bare-cluster.js';
import type { Json } from './https-client.js';

const MAPS = '/api/v1/namespaces/kube-system/configmaps';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

function configMap(name: string, data: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

let environment: ApiEnvironment;
beforeAll(async () => {
  environment = await openApiEnvironment();
});
afterAll(async () => environment.end());

describe('objects over HTTPS', () => {
  it('create adds the fields that the server owns, and answers 201', async () => {
    const { status, json, headers } = await environment.admin.call('POST', MAPS, {
      body: configMap('made', { a: '1' }),
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'made', namespace: 'kube-system', uid: expect.any(String) },
      data: { a: '1' },
    });
    expect(Number(json.metadata.resourceVersion)).toBeGreaterThan(0);
    expect(Date.parse(String(headers.date))).not.toBeNaN();
  });

  it('create refuses a second object of that name with AlreadyExists', async () => {
    await environment.admin.call('POST', MAPS, { body: configMap('twice') });
    const { status, json } = await environment.admin.call('POST', MAPS, {
      body: configMap('twice'),
    });
    expect(status).toBe(409);
    expect(json).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'AlreadyExists',
      code: 409,
      message: 'configmaps "twice" already exists',
      details: { kind: 'configmaps' },
    });
  });

  it('update of an older version fails with Conflict', async () => {
    const made = await environment.admin.call('POST', MAPS, { body: configMap('raced') });
    const change = { ...made.json, data: { by: 'first' } };
    const first = await environment.admin.call('PUT', `${MAPS}/raced`, { body: change });
    const second = await environment.admin.call('PUT', `${MAPS}/raced`, {
      body: { ...made.json, data: { by: 'second' } },
    });
    expect(first.status).toBe(200);
    expect(second.status).toBe(409);
    expect(second.json).toMatchObject({ reason: 'Conflict', details: { name: 'raced' } });
    const now = await environment.admin.call('GET', `${MAPS}/raced`);
    expect(now.json.data).toEqual({ by: 'first' });
  });

  it('update stores nothing new when nothing changes', async () => {
    const made = await environment.admin.call('POST', MAPS, {
      body: configMap('same', { a: '1' }),
    });
    const again = await environment.admin.call('PUT', `${MAPS}/same`, { body: made.json });
    expect(again.json.metadata.resourceVersion).toBe(made.json.metadata.resourceVersion);
  });

  it('a dry run returns what it would store, and stores nothing', async () => {
    const dry = await environment.admin.call('POST', `${MAPS}?dryRun=All`, {
      body: configMap('dry'),
    });
    const after = await environment.admin.call('GET', `${MAPS}/dry`);
    expect([dry.status, after.status]).toEqual([201, 404]);
    expect(after.json).toMatchObject({ reason: 'NotFound', message: 'configmaps "dry" not found' });
  });

  it('an object with finalizers remains until the last of them is removed', async () => {
    const body = { ...configMap('held'), metadata: { name: 'held', finalizers: ['x.dev/hold'] } };
    await environment.admin.call('POST', MAPS, { body });
    const deleted = await environment.admin.call('DELETE', `${MAPS}/held`);
    expect(deleted.json.metadata.deletionTimestamp).toEqual(expect.any(String));
    const held = await environment.admin.call('GET', `${MAPS}/held`);
    expect(held.status).toBe(200);
    await environment.admin.call('PATCH', `${MAPS}/held`, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    });
    expect((await environment.admin.call('GET', `${MAPS}/held`)).status).toBe(404);
  });

  it.each([
    ['another uid', { preconditions: { uid: 'other' } }, 409],
    ['another version', { preconditions: { resourceVersion: '1' } }, 409],
    ['none', {}, 200],
  ])('delete honours preconditions: %s', async (_name, body, code) => {
    await environment.admin.call('POST', MAPS, { body: configMap('guarded') });
    const { status } = await environment.admin.call('DELETE', `${MAPS}/guarded`, { body });
    expect(status).toBe(code);
  });

  it('a pod on a node is deleted only when its kubelet reports it gone', async () => {
    environment.cluster.store.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bound', namespace: 'default' },
      spec: { nodeName: 'cp-1' },
    });
    const pod = '/api/v1/namespaces/default/pods/bound';
    const { json } = await environment.admin.call('DELETE', pod);
    expect(json.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    expect((await environment.admin.call('GET', pod)).status).toBe(200);
    await environment.admin.call('DELETE', `${pod}?gracePeriodSeconds=0`);
    expect((await environment.admin.call('GET', pod)).status).toBe(404);
  });

  it('status and the rest are updated separately', async () => {
    const node = '/api/v1/nodes/cp-1';
    const before = (await environment.admin.call('GET', node)).json;
    const both = { ...before, spec: { unschedulable: true }, status: { phase: 'Nonsense' } };
    const spec = await environment.admin.call('PUT', node, { body: both });
    expect(spec.json).toMatchObject({ spec: { unschedulable: true }, status: before.status });
    const status = await environment.admin.call('PATCH', `${node}/status`, {
      contentType: 'application/strategic-merge-patch+json',
      body: { spec: { unschedulable: false }, status: { conditions: [{ type: 'Disk' }] } },
    });
    expect(status.json.spec).toEqual({ unschedulable: true });
    expect(status.json.status.conditions).toHaveLength(2);
  });

  it.each<[string, string, string, unknown, number, string]>([
    ['a body that is not JSON', 'POST', MAPS, '{', 400, 'BadRequest'],
    ['another kind', 'POST', MAPS, { kind: 'Secret', metadata: { name: 'x' } }, 400, 'BadRequest'],
    [
      'another namespace',
      'POST',
      MAPS,
      { metadata: { name: 'x', namespace: 'default' } },
      400,
      'BadRequest',
    ],
    ['another name', 'PUT', `${MAPS}/made`, configMap('other'), 400, 'BadRequest'],
    ['a bad name', 'POST', MAPS, configMap('Not_Good'), 422, 'Invalid'],
    [
      'labels that are no texts',
      'POST',
      MAPS,
      { metadata: { name: 'x', labels: { a: 1 } } },
      400,
      'BadRequest',
    ],
    [
      'a lease of no seconds',
      'POST',
      LEASES,
      { kind: 'Lease', metadata: { name: 'x' }, spec: { leaseDurationSeconds: 0 } },
      422,
      'Invalid',
    ],
    [
      'a namespace that is not there',
      'POST',
      '/api/v1/namespaces/nowhere/configmaps',
      configMap('x'),
      404,
      'NotFound',
    ],
    ['an unknown resource', 'GET', '/api/v1/podtemplates', undefined, 404, 'NotFound'],
    ['an unknown method', 'PUT', MAPS, configMap('x'), 405, 'MethodNotAllowed'],
    [
      'an unknown field selector',
      'GET',
      `${MAPS}?fieldSelector=data.a%3D1`,
      undefined,
      400,
      'BadRequest',
    ],
    [
      'a deletion of a system namespace',
      'DELETE',
      '/api/v1/namespaces/kube-system',
      undefined,
      403,
      'Forbidden',
    ],
  ])(
    'the API server refuses a request with %s',
    async (_name, method, path, body, code, reason) => {
      const { status, json } = await environment.admin.call(method, path, { body });
      expect({ status, reason: json.reason, kind: json.kind }).toEqual({
        status: code,
        reason,
        kind: 'Status',
      });
    },
  );

  it('the API server refuses a body beyond the limit', async () => {
    const body = configMap('big', { text: 'x'.repeat(3 * 1024 * 1024) });
    const { status, json } = await environment.admin.call('POST', MAPS, { body });
    expect(status).toBe(413);
    expect(json.reason).toBe('RequestEntityTooLarge');
  });
});

describe('lists', () => {
  beforeAll(async () => {
    for (const [index, side] of ['a', 'b', 'a', 'b', 'a'].entries()) {
      environment.cluster.store.create('services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: `s${index}`, namespace: 'default', labels: { side } },
      });
    }
  });

  it.each([
    ['labelSelector=side%3Da', ['s0', 's2', 's4']],
    ['labelSelector=side!%3Da', ['s1', 's3']],
    ['labelSelector=side%20in%20(a,b),side%20notin%20(b)', ['s0', 's2', 's4']],
    ['labelSelector=!side', []],
    ['fieldSelector=metadata.name%3Ds3', ['s3']],
    ['fieldSelector=metadata.name!%3Ds3,metadata.namespace%3Ddefault', ['s0', 's1', 's2', 's4']],
  ])('a list is narrowed by %s', async (query, names) => {
    const { json } = await environment.admin.call('GET', `/api/v1/services?${query}`);
    expect(json.kind).toBe('ServiceList');
    expect(json.items.map((item: Json) => item.metadata.name)).toEqual(names);
    expect(json.items.every((item: Json) => item.kind === undefined)).toBe(true);
  });

  it('a list gives pages of one version, whatever happens in between', async () => {
    const first = await environment.admin.call('GET', '/api/v1/services?limit=2');
    expect(first.json.metadata.remainingItemCount).toBe(3);
    environment.cluster.store.delete({ resource: 'services', namespace: 'default', name: 's3' });
    const token = encodeURIComponent(first.json.metadata.continue);
    const second = await environment.admin.call(
      'GET',
      `/api/v1/services?limit=9&continue=${token}`,
    );
    expect(second.json.items.map((item: Json) => item.metadata.name)).toEqual(['s2', 's3', 's4']);
    expect(second.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
    expect(second.json.metadata.continue).toBeUndefined();
  });
});

describe('discovery', () => {
  it.each([
    ['/version', { gitVersion: 'v1.30.14', major: '1', minor: '30' }],
    ['/api', { versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList' }],
    ['/apis/coordination.k8s.io/v1', { groupVersion: 'coordination.k8s.io/v1' }],
  ])('discovery answers %s', async (path, part) => {
    expect((await environment.admin.call('GET', path)).json).toMatchObject(part);
  });

  it('the API server reports ready', async () => {
    expect((await environment.admin.call('GET', '/readyz')).text).toBe('ok');
  });
});
