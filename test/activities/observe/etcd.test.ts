import { describe, expect, it } from '@jest/globals';
import { etcdOf } from '../../../activities/observe/control-plane.js';
import { isEtcdExternal } from '../../../activities/observe/read-cached.js';
import type { PodObject } from '../../../activities/observe/objects.js';

const etcdPod = (node: string): PodObject => ({
  metadata: { name: `etcd-${node}`, labels: { component: 'etcd' } },
  spec: { nodeName: node, containers: [{ image: 'etcd:3.5' }] },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

describe('an observation of etcd', () => {
  it.each([
    ['', 'unknown'],
    ['kind: ClusterConfiguration', 'unknown'],
    ['etcd: {local: {dataDir: /var/lib/etcd}}', 'no'],
    ['etcd: {external: {endpoints: []}}', 'yes'],
  ])("kubeadm's configuration %j says whether etcd is external: %s", (text, expected) => {
    expect(isEtcdExternal({ configMap: 'present', clusterConfiguration: text })).toBe(expected);
  });

  it('reports etcd only where something answers for it', () => {
    const nodes = ['cp-1', 'cp-2'];
    const none = { machines: null, nodes } as const;
    expect(etcdOf([], { ...none, external: 'unknown' }).topology).toBe('unknown');
    expect(etcdOf([], { ...none, external: 'yes' }).topology).toBe('external');
    expect(etcdOf([], { machines: [], external: 'unknown', nodes }).topology).toBe('external');
    // kubeadm says that its members are on the nodes, although none shows one.
    expect(etcdOf([], { machines: [], external: 'no', nodes }).topology).toBe('stacked');
    expect(etcdOf([], { ...none, external: 'no' }).topology).toBe('stacked');
    const ready = {
      name: 'cp-1',
      node: 'cp-1',
      side: 'source',
      state: 'ready',
      reason: '',
    } as const;
    const pods = [etcdPod('cp-1'), etcdPod('cp-2')];
    const seen = etcdOf(pods, { machines: [ready], external: 'no', nodes });
    expect(seen.members.map(({ voter }) => voter)).toEqual(['yes', 'unknown']);
  });

  it('does not count the pod of a machine that is gone as a member', () => {
    const pods = ['cp-1', 'cp-2', 'cp-3'].map(etcdPod);
    const machine = { side: 'source', reason: '' } as const;
    const machines = [
      { ...machine, name: 'cp-1', node: 'cp-1', state: 'ready' },
      // Its Node is not labelled yet, but its pod exists.
      { ...machine, name: 'cp-3', node: null, state: 'booting' },
    ] as const;
    const names = (around: Parameters<typeof etcdOf>[1]): readonly string[] =>
      etcdOf(pods, around).members.map(({ name }) => name);
    expect(names({ machines, external: 'no', nodes: ['cp-1'] })).toEqual(['cp-1', 'cp-3']);
    // A Node that exists, or no provider that knows of machines: then it may well be a member.
    expect(names({ machines, external: 'no', nodes: ['cp-1', 'cp-2'] })).toHaveLength(3);
    expect(names({ machines: null, external: 'no', nodes: ['cp-1'] })).toHaveLength(3);
  });
});
