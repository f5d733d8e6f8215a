import { CONTENT_NOTE } from '../../../../activities/object-digest.js';
import { baselineObject, readBaseline } from '../../../../activities/observe/baseline.js';
import type { ConfigMapObject } from '../../../../activities/observe/objects.js';
import {
  KUBEADM_CONFIG,
  readKubeadm,
  readCached,
} from '../../../../activities/observe/read-cached.js';
import { ALL_CACHED_READS, NOT_READ } from '../../../../activities/observe/cached-reads.js';
import type { ClusterPorts, KubernetesApi } from '../../../../activities/ports.js';
import { parseYamlDocuments } from '../../../../domain/yaml/parsed-documents.js';
import { DAEMON_SET } from '../../../activities/daemon-set-manifest.js';
import { policyOf } from '../../../support/cluster-builder.js';
import type { Json } from '../exchange.js';
import {
  type AnyObject,
  CONFIG_MAPS,
  type Scenario,
  made,
  named,
  uidOf,
  versionOf,
} from './scenario.js';

const SETS = { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'kube-system' };
const SERVICES = { apiVersion: 'v1', kind: 'Service', namespace: 'default' };
const VOLUMES = { apiVersion: 'v1', kind: 'PersistentVolume' };
const OURS = { 'app.kubernetes.io/managed-by': 'ccm-migrate' };

/** A vendor's DaemonSet under our name, bound to a label that no node has. */
function daemonSet(note: string): AnyObject {
  const [document] = parseYamlDocuments(DAEMON_SET).documents;
  const { spec } = document?.value as { spec: Json };
  const template = {
    ...spec.template,
    spec: { ...spec.template.spec, nodeSelector: { 'corpus-run': 'true' } },
  };
  return made(SETS, 'corpus-ccm', {
    metadata: { labels: OURS, annotations: { [CONTENT_NOTE]: note } },
    spec: { ...spec, template, updateStrategy: { type: 'OnDelete' } },
  });
}

const snapshot = async (api: KubernetesApi, refresh = ALL_CACHED_READS): Promise<Json> => {
  const request = { policy: policyOf(), carried: NOT_READ, refresh };
  // The cached reads use the API only.
  const { cached } = await readCached({ api } as ClusterPorts, request, {});
  return cached;
};

/** The CCM as a DaemonSet, and its ConfigMaps. */
export const WORKLOAD_SCENARIO: Scenario = {
  name: 'daemon-set',
  about:
    'The DaemonSet of a CCM is made, read, changed, refused a selector, and removed in the background.',
  async play(environment) {
    const ref = named(SETS, 'corpus-ccm');
    const first = await environment.must('create', (api) => api.create(daemonSet('sha256:one')));
    await environment.must('side by side: observe the workload', (api) =>
      snapshot(api, ['workload']).then(({ workload }) => ({
        observed: workload.observation,
        readable: workload.manifest !== null,
      })),
    );
    await environment.must('read', (api) => api.get(ref));
    const changed = daemonSet('sha256:two') as Json;
    changed.metadata.resourceVersion = versionOf(first);
    changed.spec.template.spec.containers[0].command.push('--v=2');
    const second = await environment.must('replace', (api) => api.replace(changed as AnyObject));
    await environment.call('replace an older version', (api) => api.replace(changed as AnyObject));
    await environment.must('replace by the same', (api) =>
      api.replace({
        ...changed,
        metadata: { ...changed.metadata, resourceVersion: versionOf(second) },
      } as AnyObject),
    );
    await environment.call('change its selector', (api) =>
      api.mergePatch(ref, { spec: { selector: { matchLabels: { component: 'other' } } } }),
    );
    await environment.call('create one without a selector', (api) =>
      api.create(made(SETS, 'corpus-wrong', { spec: { template: { spec: { containers: [] } } } })),
    );
    await environment.call('create one that selects others', (api) => {
      const wrong = daemonSet('') as Json;
      wrong.metadata.name = 'corpus-wrong';
      wrong.spec.selector = { matchLabels: { other: 'x' } };
      return api.create(wrong as AnyObject);
    });
    await environment.must('remove', (api) =>
      api.remove(ref, { uid: uidOf(first) }).then(() => true),
    );
  },
};

const INVENTORY = {
  workers: { total: 0, ready: 0, kubeletInTree: 0, kubeletExternal: 0, uninitialized: 0 },
  services: { loadBalancers: 0, pending: 0, ingressDigest: '' },
  nodes: { total: 0, withoutProviderId: 0, digest: '' },
  persistentVolumes: { inTree: 0 },
  exceptions: [],
};
const CONFIGURATION =
  'apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\netcd:\n  external: {}\n';

/** What ConfigMaps hold: the baseline for rollback, and the settings of kubeadm. */
export const CONFIG_MAP_SCENARIO: Scenario = {
  name: 'config-maps',
  about:
    "The baseline is recorded and read back; kubeadm's configuration follows, unless another writer was faster.",
  async play(environment) {
    const ref = named(CONFIG_MAPS, 'ccm-migrate-baseline');
    const baseline = {
      manifest: 'kind: Pod\n# ü\t"x"\n',
      controlPlaneNodes: 3,
      cloudConfigHash: '',
      inventory: INVENTORY,
    };
    const object = baselineObject(baseline);
    const first = await environment.must('record the baseline', (api) => api.create(object));
    await environment.must('read it back whole', async (api) => {
      const found = await api.get<ConfigMapObject>(ref);
      return readBaseline(found?.object ?? null)?.manifest === baseline.manifest;
    });
    await environment.must('list ours', (api) =>
      api.list(CONFIG_MAPS, { labelSelector: 'app.kubernetes.io/managed-by=ccm-migrate' }),
    );
    const second = await environment.must('replace it without a version', (api) =>
      api.replace(object),
    );
    await environment.call('replace an older version', (api) =>
      api.replace({ ...object, metadata: { ...object.metadata, resourceVersion: 'nonsense' } }),
    );
    await environment.call('replace one of another uid', (api) =>
      api.replace({
        ...object,
        metadata: { ...object.metadata, uid: '00000000-0000-4000-8000-000000000000' },
      }),
    );
    await environment.must('remove what was read', (api) =>
      api.remove(ref, { uid: uidOf(first), resourceVersion: versionOf(second) }).then(() => true),
    );
    await environment.call('replace an absent one', (api) => api.replace(object));
    const data = { ClusterConfiguration: CONFIGURATION };
    const before = await environment.must('tell kubeadm', (api) =>
      api.mergePatch(KUBEADM_CONFIG, { data }),
    );
    await environment.must('read kubeadm', (api) => readKubeadm(api, {}));
    const guarded = {
      metadata: { resourceVersion: versionOf(before) },
      data: { ...data, more: '1' },
    };
    await environment.must('let it follow', (api) => api.mergePatch(KUBEADM_CONFIG, guarded));
    await environment.call('let it follow what was written since', (api) =>
      api.mergePatch(KUBEADM_CONFIG, guarded),
    );
    await environment.must('take it back', (api) =>
      api.mergePatch(KUBEADM_CONFIG, { data: { more: null } }),
    );
  },
};

/** What an inventory counts, and a full read of everything that rarely changes. */
export const INVENTORY_SCENARIO: Scenario = {
  name: 'inventory',
  about: 'Services and volumes as an inventory reads them, in one full observation.',
  async play(environment) {
    const service = await environment.must('create a Service', (api) =>
      api.create(
        made(SERVICES, 'corpus-web', {
          metadata: { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] },
          spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80 }] },
        }),
      ),
    );
    await environment.send({
      method: 'PATCH',
      path: '/api/v1/namespaces/default/services/corpus-web/status',
      contentType: 'application/merge-patch+json',
      body: { status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } } },
    });
    await environment.must('create a plain Service', (api) =>
      api.create(made(SERVICES, 'corpus-plain', { spec: { ports: [{ port: 80 }] } })),
    );
    await environment.must('create a volume', (api) =>
      api.create(
        made(VOLUMES, 'corpus-volume', {
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            csi: { driver: 'csi.corpus.example', volumeHandle: 'v1' },
          },
        }),
      ),
    );
    await environment.must('list Services', (api) =>
      api.list({ apiVersion: 'v1', kind: 'Service' }),
    );
    await environment.must('list volumes', (api) => api.list(VOLUMES));
    await environment.must('side by side: read the inventory', (api) =>
      snapshot(api).then(({ kubeadm, access, serverVersion }) => ({
        kubeadm: kubeadm.configMap,
        access,
        serverVersion,
      })),
    );
    await environment.must('delete a Service with a finalizer', (api) =>
      api.remove(named(SERVICES, 'corpus-web'), { uid: uidOf(service) }).then(() => true),
    );
    await environment.must('delete it again', (api) =>
      api.remove(named(SERVICES, 'corpus-web')).then(() => true),
    );
    await environment.must('read what waits', (api) => api.get(named(SERVICES, 'corpus-web')));
    await environment.call('put another finalizer on what goes', (api) =>
      api.mergePatch(named(SERVICES, 'corpus-web'), {
        metadata: { finalizers: ['corpus.example/new'] },
      }),
    );
    await environment.must('take its finalizer away', (api) =>
      api.mergePatch(named(SERVICES, 'corpus-web'), { metadata: { finalizers: null } }),
    );
    await environment.call('read what is gone', (api) => api.get(named(SERVICES, 'corpus-web')));
    await environment.must('delete the plain one', (api) =>
      api.remove(named(SERVICES, 'corpus-plain')).then(() => true),
    );
  },
};
