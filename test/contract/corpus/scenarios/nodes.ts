import { CONTROL_PLANE_LABEL } from '../../../../activities/observe/objects.js';
import { RUN_CCM_LABEL } from '../../../../domain/manifests/paths.js';
import { NODES, NO_UID, made, named, uidOf, versionOf, type Scenario } from './scenario.js';

const NODE = made(NODES, 'corpus-node', {
  metadata: { labels: { [CONTROL_PLANE_LABEL]: '', 'corpus-group': 'nodes' } },
  spec: {
    providerID: 'labcloud://corpus-node',
    taints: [
      {
        key: 'node.cloudprovider.kubernetes.io/uninitialized',
        value: 'true',
        effect: 'NoSchedule',
      },
    ],
  },
  status: {
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
    addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
    nodeInfo: { kubeletVersion: 'v1.30.14' },
  },
});

/** Nodes as the product reads and changes them: labels, cordons, and the object of a machine that is gone. */
export const NODE_SCENARIO: Scenario = {
  name: 'nodes',
  about:
    'A Node is labelled, cordoned, listed as a control-plane node, reported on, and removed by its UID.',
  async play(environment) {
    const ref = named(NODES, 'corpus-node');
    const first = await environment.must('create', (api) => api.create(NODE));
    await environment.call('create again', (api) => api.create(NODE));
    await environment.must('read', (api) => api.get(ref));
    await environment.must('list control-plane nodes', (api) =>
      api.list(NODES, { labelSelector: `${CONTROL_PLANE_LABEL},corpus-group=nodes` }),
    );
    const label = (value: string | null, resourceVersion: string): object => ({
      metadata: { resourceVersion, labels: { [RUN_CCM_LABEL]: value } },
    });
    const labelledNode = await environment.must('let the CCM run there', (api) =>
      api.mergePatch(ref, label('true', versionOf(first))),
    );
    await environment.call('label an older version', (api) =>
      api.mergePatch(ref, label(null, versionOf(first))),
    );
    await environment.must('take the label off', (api) =>
      api.mergePatch(ref, label(null, versionOf(labelledNode))),
    );
    await environment.must('cordon', (api) =>
      api.mergePatch(ref, { spec: { unschedulable: true } }),
    );
    await environment.must('cordon again', (api) =>
      api.mergePatch(ref, { spec: { unschedulable: true } }),
    );
    await environment.must('uncordon', (api) =>
      api.mergePatch(ref, { spec: { unschedulable: false } }),
    );
    await environment.must('take the taints away', (api) =>
      api.mergePatch(ref, { spec: { taints: null } }),
    );
    await environment.call('write status beside the spec', (api) =>
      api.mergePatch(ref, { status: { addresses: [] }, spec: { unschedulable: true } }),
    );
    await environment.send({
      method: 'PATCH',
      path: '/api/v1/nodes/corpus-node/status',
      contentType: 'application/strategic-merge-patch+json',
      body: {
        status: { conditions: [{ type: 'DiskPressure', status: 'False' }] },
        spec: { unschedulable: false },
      },
    });
    await environment.call('change its provider', (api) =>
      api.mergePatch(ref, { spec: { providerID: 'other://x' } }),
    );
    await environment.call('give it an invalid label', (api) =>
      api.mergePatch(ref, { metadata: { labels: { 'corpus-group': 'a value!' } } }),
    );
    await environment.call('give it an invalid key', (api) =>
      api.mergePatch(ref, { metadata: { labels: { 'not a key': 'x' } } }),
    );
    await environment.call('label an absent Node', (api) =>
      api.mergePatch(named(NODES, 'corpus-absent'), { metadata: { labels: { a: 'b' } } }),
    );
    await environment.call('remove another', (api) => api.remove(ref, { uid: NO_UID }));
    await environment.must('remove', (api) =>
      api.remove(ref, { uid: uidOf(first) }).then(() => true),
    );
    await environment.call('remove again', (api) => api.remove(ref));
    await environment.call('read it', (api) => api.get(ref));
  },
};
