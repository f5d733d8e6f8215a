import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, put, type ApiEnvironment } from './bare-cluster.js';
import type { Json } from './https-client.js';

let environment: ApiEnvironment;
beforeAll(async () => {
  environment = await openApiEnvironment({ historyLimit: 2 });
});
afterAll(async () => environment.end());

const MAPS = '/api/v1/namespaces/default/configmaps';

function make(name: string, labels: Record<string, string> = {}): void {
  put(environment.cluster.store, 'configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels },
  });
}

function label(name: string, labels: Record<string, string>): void {
  const ref = { resource: 'configmaps', namespace: 'default', name };
  const found = environment.cluster.store.get(ref);
  if (!found.ok) throw new Error(found.message);
  const metadata = { ...found.object.metadata, labels };
  environment.cluster.store.update('configmaps', { ...found.object, metadata });
}

const seen = (lines: readonly Json[]): readonly string[] =>
  lines
    .filter((line) => line.type !== 'BOOKMARK')
    .map((line) => `${String(line.type)} ${String(line.object.metadata.name)}`);

describe('watches', () => {
  it('watches report what changed since a version, and then what changes', async () => {
    const version = environment.cluster.store.resourceVersion();
    make('one');
    const watching = environment.admin.watch(
      `${MAPS}?watch=true&resourceVersion=${version}`,
      (lines) => seen(lines).length === 3,
    );
    setTimeout(() => {
      label('one', { a: '1' });
      environment.cluster.store.delete({
        resource: 'configmaps',
        namespace: 'default',
        name: 'one',
      });
    }, 20);
    expect(seen(await watching)).toEqual(['ADDED one', 'MODIFIED one', 'DELETED one']);
  });

  it('watches show objects that enter and leave a selection as added and deleted', async () => {
    make('moving', { side: 'left' });
    const version = environment.cluster.store.resourceVersion();
    const watching = environment.admin.watch(
      `${MAPS}?watch=true&resourceVersion=${version}&labelSelector=side%3Dright`,
      (lines) => seen(lines).length === 2,
    );
    setTimeout(() => {
      label('moving', { side: 'right' });
      label('moving', { side: 'left' });
    }, 20);
    expect(seen(await watching)).toEqual(['ADDED moving', 'DELETED moving']);
  });

  it('watches send bookmarks while quiet, and end after timeoutSeconds', async () => {
    const lines = await environment.admin.watch(
      `${MAPS}?watch=true&resourceVersion=${environment.cluster.store.resourceVersion()}&allowWatchBookmarks=true&timeoutSeconds=1`,
    );
    expect(lines.length).toBeGreaterThan(1);
    expect(new Set(lines.map((line) => line.type))).toEqual(new Set(['BOOKMARK']));
    expect(lines.at(-1).object).toMatchObject({
      kind: 'ConfigMap',
      metadata: { resourceVersion: environment.cluster.store.resourceVersion() },
    });
  });

  it('watches begin with everything when no version is given', async () => {
    const lines = await environment.admin.watch(
      '/api/v1/nodes?watch=true&fieldSelector=metadata.name%3Dcp-1',
      (all) => all.length === 1,
    );
    expect(seen(lines)).toEqual(['ADDED cp-1']);
  });

  it('watches answer a forgotten version with 410 inside the stream', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) make(name);
    const lines = await environment.admin.watch(`${MAPS}?watch=true&resourceVersion=1`);
    expect(lines).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
  });

  it('lists answer a forgotten page with 410', async () => {
    const first = await environment.admin.call('GET', `${MAPS}?limit=1`);
    for (const name of ['g', 'h', 'i', 'j', 'k']) make(name);
    const token = encodeURIComponent(first.json.metadata.continue);
    const { status, json } = await environment.admin.call(
      'GET',
      `${MAPS}?limit=1&continue=${token}`,
    );
    expect([status, json.reason]).toEqual([410, 'Expired']);
  });
});
