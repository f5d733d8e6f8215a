import { readFileSync } from 'node:fs';
import {
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  V1ConfigMap,
  V1ObjectMeta,
  VersionApi,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, put, type ApiEnvironment } from './bare-cluster.js';

/** The API is faithful if the most widely used library finds nothing odd in it. */
describe.each(['token', 'clientCertificate'] as const)(
  '@kubernetes/client-node with a %s',
  (credential) => {
    let environment: ApiEnvironment;
    const config = new KubeConfig();
    beforeAll(async () => {
      environment = await openApiEnvironment({ credential });
      config.loadFromString(readFileSync(environment.simulator.kubeconfigs['alpha'] ?? '', 'utf8'));
      put(environment.cluster.store, 'leases', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'held', namespace: 'kube-system' },
        spec: {
          holderIdentity: 'cp-1_x',
          leaseDurationSeconds: 15,
          renewTime: '2024-05-01T00:00:00.000000Z',
        },
      });
    });
    afterAll(async () => environment.end());

    it('reads version, nodes and a lease', async () => {
      const version = await config.makeApiClient(VersionApi).getCode();
      const nodes = await config.makeApiClient(CoreV1Api).listNode();
      const lease = await config
        .makeApiClient(CoordinationV1Api)
        .readNamespacedLease({ namespace: 'kube-system', name: 'held' });
      expect(version.gitVersion).toBe('v1.30.14');
      expect(nodes.items.map((node) => node.metadata?.name)).toEqual(['cp-1']);
      expect(lease.spec?.holderIdentity).toBe('cp-1_x');
      expect(lease.spec?.leaseDurationSeconds).toBe(15);
    });

    it('patches with a precondition, and reports the conflict as such', async () => {
      const api = config.makeApiClient(CoreV1Api);
      const patch = (resourceVersion: string, value: string): Promise<unknown> =>
        api.patchNode(
          { name: 'cp-1', body: { metadata: { resourceVersion, labels: { touched: value } } } },
          setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
        );
      const { metadata } = await api.readNode({ name: 'cp-1' });
      const version = metadata?.resourceVersion ?? '';
      await patch(version, '1');
      await expect(patch(version, '2')).rejects.toMatchObject({ code: 409 });
      const node = await api.readNode({ name: 'cp-1' });
      expect(node.metadata?.labels?.['touched']).toBe('1');
    });

    it('watches changes of objects', async () => {
      const seen = await new Promise<string>((resolve, reject) => {
        const path = '/api/v1/nodes';
        void new Watch(config)
          .watch(path, { allowWatchBookmarks: true }, (phase: string) => resolve(phase), reject)
          .then((watching) => setTimeout(() => watching.abort(), 200));
      });
      expect(seen).toBe('ADDED');
    });

    it('creates, replaces and deletes objects', async () => {
      const api = config.makeApiClient(CoreV1Api);
      const at = { namespace: 'default', name: 'mine' };
      const body = Object.assign(new V1ConfigMap(), {
        metadata: Object.assign(new V1ObjectMeta(), { name: 'mine' }),
        data: { a: '1' },
      });
      const made = await api.createNamespacedConfigMap({ namespace: 'default', body });
      const replaced = await api.replaceNamespacedConfigMap({
        ...at,
        body: Object.assign(made, { data: { a: '2' } }),
      });
      expect(replaced.data).toEqual({ a: '2' });
      const gone = await api.deleteNamespacedConfigMap(at);
      expect(gone.status).toBe('Success');
      await expect(api.readNamespacedConfigMap(at)).rejects.toMatchObject({ code: 404 });
    });
  },
);
