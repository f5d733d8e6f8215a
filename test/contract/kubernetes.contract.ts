import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiObject, KubernetesApi, ObjectRef, WatchEvent } from '../../activities/ports.js';
import { refusal, type ContractCluster, type OpenCluster } from './contract-cluster.js';

interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface AccessReview extends ApiObject {
  readonly status?: { readonly allowed?: boolean };
}

const NAMESPACE = 'kube-system';
const COLLECTION = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE };
const LABEL = 'ccm-migrate.dev/contract';

const refTo = (name: string): ObjectRef => ({ ...COLLECTION, name });
const configMap = (name: string, data: Record<string, string> = {}, group = name): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE, labels: { [LABEL]: group } },
  data,
});

/** What every implementation of `KubernetesApi` does, on every cluster. */
export function kubernetesContract(name: string, open: OpenCluster): void {
  describe(`KubernetesApi on ${name}`, () => {
    let cluster: ContractCluster;
    let api: KubernetesApi;
    beforeAll(async () => {
      cluster = await open();
      api = cluster.ports.api;
    });
    afterAll(async () => {
      await cluster.close();
    });

    readsAndWrites(() => api);
    collections(() => api);
    watches(() => api);
  });
}

function readsAndWrites(api: () => KubernetesApi): void {
  it('reads the version of the API server', async () => {
    expect((await api().serverVersion()).gitVersion).toMatch(/^v1\.\d+\.\d+/);
  });

  it('returns null for an object that does not exist', async () => {
    expect(await api().get(refTo('contract-absent'))).toBeNull();
  });

  it('creates an object, reads it with the server time, and recognises one that exists already', async () => {
    const made = await api().create(configMap('contract-made', { a: '1' }));
    expect(made.metadata?.uid).toEqual(expect.any(String));
    const read = await api().get<ConfigMap>(refTo('contract-made'));
    expect(read?.object).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
    expect(read?.serverTimeMs).toBeGreaterThan(0);
    expect(await refusal(api().create(configMap('contract-made')))).toMatchObject({
      type: 'Conflict',
      details: [{ status: 409, reason: 'AlreadyExists' }],
    });
    await api().remove(refTo('contract-made'));
    expect(await api().get(refTo('contract-made'))).toBeNull();
  });

  it('creates nothing in a dry run', async () => {
    await api().create(configMap('contract-dry'), { dryRun: true });
    expect(await api().get(refTo('contract-dry'))).toBeNull();
  });

  it('replaces an object only at the version that was read', async () => {
    const made = await api().create(configMap('contract-replace'));
    await api().replace({ ...made, data: { by: 'first' } });
    expect(await refusal(api().replace({ ...made, data: { by: 'second' } }))).toMatchObject({
      type: 'Conflict',
      details: [{ status: 409, reason: 'Conflict' }],
    });
    const read = await api().get<ConfigMap>(refTo('contract-replace'));
    expect(read?.object.data).toEqual({ by: 'first' });
    await api().remove(refTo('contract-replace'));
  });

  it('merges a patch: null removes a member, a resourceVersion is a precondition', async () => {
    const made = await api().create(configMap('contract-patch', { a: '1', b: '2' }));
    const { resourceVersion = '' } = made.metadata ?? {};
    const patched = await api().mergePatch<ConfigMap>(refTo('contract-patch'), {
      metadata: { resourceVersion },
      data: { a: null, c: '3' },
    });
    expect(patched.data).toEqual({ b: '2', c: '3' });
    const stale = { metadata: { resourceVersion }, data: { d: '4' } };
    expect(await refusal(api().mergePatch(refTo('contract-patch'), stale))).toMatchObject({
      type: 'Conflict',
    });
    await api().remove(refTo('contract-patch'));
  });

  it('fails with Conflict when the object to change is gone', async () => {
    const patch = { data: { a: '1' } };
    expect(await refusal(api().mergePatch(refTo('contract-gone'), patch))).toMatchObject({
      type: 'Conflict',
      details: [{ status: 404, reason: 'NotFound' }],
    });
  });

  it('removes only the intended object, and treats an absent one as removed', async () => {
    await api().create(configMap('contract-remove'));
    const wrong = { uid: '00000000-0000-0000-0000-000000000000' };
    expect(await refusal(api().remove(refTo('contract-remove'), wrong))).toMatchObject({
      type: 'Conflict',
    });
    await api().remove(refTo('contract-remove'));
    await api().remove(refTo('contract-remove'));
  });

  it('returns the result of an access review', async () => {
    const review = await api().create<AccessReview>({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: 'contract-no-one',
        resourceAttributes: {
          group: 'coordination.k8s.io',
          resource: 'leases',
          verb: 'update',
          namespace: NAMESPACE,
          name: 'x',
        },
      },
    } as AccessReview);
    expect(review.status?.allowed).toBe(false);
  });

  it('treats the eviction of an absent pod as done', async () => {
    expect(await api().evict({ namespace: NAMESPACE, name: 'contract-absent' })).toBe('gone');
  });

  it('refuses names that would escape their path', async () => {
    expect(await refusal(api().get(refTo('../secrets/x')))).toMatchObject({ type: 'InvalidInput' });
  });
}

function collections(api: () => KubernetesApi): void {
  it('lists by label, whatever the page size, with the kind of each item', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `contract-page-${letter}`);
    for (const name of names) await api().create(configMap(name, {}, 'pages'));
    for (const limit of [1, 2, 5, 100]) {
      const labelSelector = `${LABEL}=pages`;
      const page = await api().list<ConfigMap>(COLLECTION, { labelSelector, limit });
      expect(page.items.map((item) => item.metadata?.name)).toEqual(names);
      expect(page.items.every((item) => item.kind === 'ConfigMap')).toBe(true);
      expect(Number(page.resourceVersion)).toBeGreaterThan(0);
      expect(page.serverTimeMs).toBeGreaterThan(0);
    }
    for (const name of names) await api().remove(refTo(name));
  });

  it('lists by field', async () => {
    const fieldSelector = 'metadata.name=kube-controller-manager';
    const leases = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: NAMESPACE };
    const page = await api().list(leases, { fieldSelector });
    expect(page.items.map((item) => item.metadata?.name)).toEqual(['kube-controller-manager']);
  });

  it('returns an empty list where nothing matches', async () => {
    const page = await api().list(COLLECTION, { labelSelector: `${LABEL}=nothing` });
    expect(page.items).toEqual([]);
  });
}

function watches(api: () => KubernetesApi): void {
  const watched = (
    resourceVersion: string,
    timeoutSeconds: number,
  ): AsyncIterable<WatchEvent<ConfigMap>> =>
    api().watch<ConfigMap>(COLLECTION, {
      labelSelector: `${LABEL}=watch`,
      resourceVersion,
      timeoutSeconds,
    });

  it('watches what happened since the list, in order, until its reader leaves', async () => {
    const { resourceVersion } = await api().list(COLLECTION);
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { type, object } of watched(resourceVersion, 30)) {
        if (type !== 'BOOKMARK') seen.push(`${type} ${object.data?.['a'] ?? ''}`);
        if (type === 'DELETED') return;
      }
    })();
    await api().create(configMap('contract-watch', { a: '1' }, 'watch'));
    await api().mergePatch(refTo('contract-watch'), { data: { a: '2' } });
    await api().remove(refTo('contract-watch'));
    await watching;
    expect(seen).toEqual(['ADDED 1', 'MODIFIED 2', 'DELETED 2']);
  });

  it('watches one object by its name, and no others', async () => {
    const leases = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: NAMESPACE };
    const lease = (name: string): ApiObject => ({
      ...{ apiVersion: leases.apiVersion, kind: leases.kind },
      metadata: { name, namespace: NAMESPACE },
    });
    const fieldSelector = 'metadata.name=contract-watched';
    const { resourceVersion } = await api().list(leases, { fieldSelector });
    const seen: string[] = [];
    const watching = (async () => {
      const options = { fieldSelector, resourceVersion, timeoutSeconds: 30 };
      for await (const { type, object } of api().watch(leases, options)) {
        if (type !== 'BOOKMARK') seen.push(`${type} ${object.metadata?.name ?? ''}`);
        if (type === 'DELETED') return;
      }
    })();
    const names = ['contract-other', 'contract-watched'];
    for (const name of names) await api().create(lease(name));
    const mark = { metadata: { annotations: { [LABEL]: 'marked' } } };
    for (const name of names) await api().mergePatch({ ...leases, name }, mark);
    for (const name of names) await api().remove({ ...leases, name });
    await watching;
    expect(seen).toEqual(
      ['ADDED', 'MODIFIED', 'DELETED'].map((type) => `${type} ${names[1] ?? ''}`),
    );
  });

  it('ends a watch after its time', async () => {
    const { resourceVersion } = await api().list(COLLECTION);
    const types: string[] = [];
    for await (const { type } of watched(resourceVersion, 1)) types.push(type);
    expect(types.filter((type) => type !== 'BOOKMARK')).toEqual([]);
  });

  it('ends a watch with the reason of its cancellation', async () => {
    const { resourceVersion } = await api().list(COLLECTION);
    const controller = new AbortController();
    const events = api().watch<ConfigMap>(COLLECTION, {
      labelSelector: `${LABEL}=watch`,
      resourceVersion,
      timeoutSeconds: 30,
      signal: controller.signal,
    });
    setTimeout(() => {
      controller.abort(new Error('the activity was cancelled'));
    }, 100);
    await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow('was cancelled');
  });
}
