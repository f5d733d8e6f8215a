import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, type ApiEnvironment } from './bare-cluster.js';
import type { Json, TestAnswer } from './https-client.js';

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const SETS = '/apis/apps/v1/namespaces/default/daemonsets';
const MAPS = '/api/v1/namespaces/default/configmaps';

let environment: ApiEnvironment;
beforeAll(async () => {
  environment = await openApiEnvironment();
});
afterAll(async () => environment.end());

const patch = (path: string, contentType: string, body: unknown): Promise<TestAnswer> =>
  environment.admin.call('PATCH', path, { contentType, body });

describe('merge, strategic and JSON patch', () => {
  let path = '';
  let count = 0;
  beforeEach(async () => {
    count += 1;
    const name = `ds-${count}`;
    path = `${SETS}/${name}`;
    await environment.admin.call('POST', SETS, {
      body: {
        metadata: { name, labels: { keep: 'yes' } },
        spec: {
          selector: { matchLabels: { app: 'x' } },
          template: {
            metadata: { labels: { app: 'x' } },
            spec: {
              containers: [
                { name: 'a', image: 'a:1', env: [{ name: 'E', value: '1' }] },
                { name: 'b', image: 'b:1' },
              ],
              tolerations: [{ key: 'old' }],
            },
          },
        },
      },
    });
  });

  it.each<[string, string, unknown, (json: Json) => unknown, unknown]>([
    [
      'merge patch replaces lists',
      MERGE,
      { spec: { template: { spec: { containers: [{ name: 'c' }] } } } },
      (json) => json.spec.template.spec.containers,
      [{ name: 'c' }],
    ],
    [
      'merge patch removes by null and keeps the rest',
      MERGE,
      { metadata: { labels: { keep: null, added: '1' } } },
      (json) => json.metadata.labels,
      { added: '1' },
    ],
    [
      'strategic patch merges containers by name and env by name',
      STRATEGIC,
      {
        spec: {
          template: { spec: { containers: [{ name: 'a', env: [{ name: 'F', value: '2' }] }] } },
        },
      },
      (json) => json.spec.template.spec.containers,
      [
        {
          name: 'a',
          image: 'a:1',
          env: [
            { name: 'F', value: '2' },
            { name: 'E', value: '1' },
          ],
        },
        { name: 'b', image: 'b:1' },
      ],
    ],
    [
      'strategic patch deletes an item',
      STRATEGIC,
      { spec: { template: { spec: { containers: [{ name: 'b', $patch: 'delete' }] } } } },
      (json) => json.spec.template.spec.containers.length,
      1,
    ],
    [
      'strategic patch replaces tolerations, which have no key',
      STRATEGIC,
      { spec: { template: { spec: { tolerations: [{ key: 'new' }] } } } },
      (json) => json.spec.template.spec.tolerations,
      [{ key: 'new' }],
    ],
    [
      'strategic patch adds to finalizers and deletes from them',
      STRATEGIC,
      {
        metadata: {
          finalizers: ['a.dev/x', 'a.dev/y'],
          '$setElementOrder/finalizers': ['a.dev/x'],
        },
      },
      (json) => json.metadata.finalizers,
      ['a.dev/x', 'a.dev/y'],
    ],
    [
      'JSON patch tests, escapes a path and appends',
      JSON_PATCH,
      [
        { op: 'test', path: '/metadata/labels/keep', value: 'yes' },
        { op: 'add', path: '/metadata/labels/a~1b', value: '1' },
        { op: 'add', path: '/spec/template/spec/tolerations/-', value: { key: 'z' } },
        { op: 'remove', path: '/metadata/labels/keep' },
        { op: 'replace', path: '/spec/template/spec/containers/1/image', value: 'b:2' },
      ],
      (json) => [
        json.metadata.labels,
        json.spec.template.spec.tolerations,
        json.spec.template.spec.containers[1].image,
      ],
      [{ 'a/b': '1' }, [{ key: 'old' }, { key: 'z' }], 'b:2'],
    ],
  ])('%s', async (_name, contentType, body, part, expected) => {
    const { status, json } = await patch(path, contentType, body);
    expect(status).toBe(200);
    expect(part(json)).toEqual(expected);
  });

  it.each<[string, string, unknown, number]>([
    ['a failed test of a JSON patch', JSON_PATCH, [{ op: 'test', path: '/kind', value: 'x' }], 422],
    ['a path that is not there', JSON_PATCH, [{ op: 'remove', path: '/spec/none' }], 422],
    ['an older version in a merge patch', MERGE, { metadata: { resourceVersion: '1' } }, 409],
    ['another uid in a merge patch', MERGE, { metadata: { uid: 'other' } }, 422],
    ['a change of the selector', MERGE, { spec: { selector: { matchLabels: { app: 'y' } } } }, 422],
    ['an unknown content type', 'constructor', {}, 415],
  ])('a patch is refused for %s', async (_name, contentType, body, code) => {
    expect((await patch(path, contentType, body)).status).toBe(code);
  });

  it('only changes of the spec increase the generation', async () => {
    const labels = await patch(path, MERGE, { metadata: { labels: { more: '1' } } });
    const spec = await patch(path, MERGE, { spec: { minReadySeconds: 3 } });
    const status = await patch(`${path}/status`, MERGE, { status: { numberReady: 1 } });
    expect([labels, spec, status].map((one) => one.json.metadata.generation)).toEqual([1, 2, 2]);
  });
});

describe('server-side apply', () => {
  const apply = (name: string, manager: string, data: object, force = false): Promise<TestAnswer> =>
    patch(`${MAPS}/${name}?fieldManager=${manager}${force ? '&force=true' : ''}`, APPLY, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data,
    });

  it('server-side apply creates, and changes nothing when repeated', async () => {
    const first = await apply('mine', 'one', { a: '1' });
    const again = await apply('mine', 'one', { a: '1' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
    expect(first.json.metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]);
  });

  it('server-side apply removes fields that it no longer sets, unless another manager sets them too', async () => {
    await apply('pruned', 'one', { a: '1', b: '1', c: '1' });
    await apply('pruned', 'two', { b: '1' });
    const { json } = await apply('pruned', 'one', { a: '1' });
    expect(json.data).toEqual({ a: '1', b: '1' });
  });

  it('server-side apply takes a field that another manager set to another value only by force', async () => {
    await apply('contested', 'one', { a: '1' });
    const refused = await apply('contested', 'two', { a: '2' });
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] },
    });
    const forced = await apply('contested', 'two', { a: '2' }, true);
    expect(forced.json.data).toEqual({ a: '2' });
    const back = await apply('contested', 'one', { a: '1' });
    expect(back.status).toBe(409);
  });

  it('server-side apply notices which manager changed a field by an ordinary patch', async () => {
    await apply('edited', 'one', { a: '1' });
    await patch(`${MAPS}/edited?fieldManager=kubectl-edit`, MERGE, { data: { a: '9' } });
    const { json } = await apply('edited', 'one', { a: '1' });
    expect(json.message).toContain('conflict with "kubectl-edit" using v1: .data.a');
  });

  it('server-side apply needs a field manager', async () => {
    expect((await patch(`${MAPS}/unnamed`, APPLY, {})).status).toBe(422);
  });
});
