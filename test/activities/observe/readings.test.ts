import { describe, expect, it } from '@jest/globals';
import { KUBELET_FLAGS } from '../../../activities/node-paths.js';
import { apiServerVersions } from '../../../activities/observe/control-plane.js';
import { sinceInventory, summarizeInventory } from '../../../activities/observe/inventory.js';
import {
  runningProvider,
  settledProvider,
  withCloudProvider,
  writtenProvider,
} from '../../../activities/observe/kubelet-flags.js';
import type { NodeObject, PodObject } from '../../../activities/observe/objects.js';
import {
  isOwnServer,
  serverHost,
  sharedAddressOf,
} from '../../../activities/observe/shared-address.js';
import { workloadOf } from '../../../activities/observe/workload.js';
import type { KubeletProcess, NodeFile } from '../../../activities/ports.js';
import { digestText } from '../../../domain/digest.js';
import { policyOf } from '../../support/cluster-builder.js';

const flagsFile = (content: string): NodeFile => {
  return { path: KUBELET_FLAGS, content, hash: digestText(content), mode: '0600', changedAtMs: 0 };
};

const kubelet = (...words: readonly string[]): KubeletProcess => {
  return { pid: 7, startTicks: 70, startedAtMs: 700, arguments: words };
};

describe('readings of a cluster', () => {
  it.each([
    ['KUBELET_KUBEADM_ARGS="--cloud-provider=external --x=y"', 'external'],
    ['KUBELET_KUBEADM_ARGS="--cloud-provider=labcloud"', 'inTree'],
    ['KUBELET_KUBEADM_ARGS="--x=y"', 'none'],
  ])('kubelet flags are read: %s', (text, expected) => {
    expect(writtenProvider(text)).toBe(expected);
    const changed = withCloudProvider(text, 'external');
    expect(writtenProvider(changed)).toBe('external');
    expect(withCloudProvider(changed, 'external')).toBe(changed);
  });

  it.each([
    ['one with the flag', [kubelet('--cloud-provider=external')], 'external'],
    ['one with the flag in two arguments', [kubelet('--cloud-provider', 'external')], 'external'],
    [
      'one with the flag twice, where the last counts',
      [kubelet('--cloud-provider=external', '--cloud-provider=labcloud')],
      'inTree',
    ],
    ['one without the flag', [kubelet('--v=2')], 'none'],
    ['no process', [], 'unknown'],
    [
      'two processes',
      [kubelet('--cloud-provider=external'), kubelet('--cloud-provider=external')],
      'unknown',
    ],
  ] as const)("a kubelet's provider is that of its process: %s", (_name, seen, expected) => {
    expect(runningProvider(seen)).toBe(expected);
  });

  it.each([
    ['a kubelet that runs as written', 'external', 'external', 'external'],
    ['one that was written and not restarted', 'labcloud', 'external', 'unknown'],
    ['one that the next restart would revert', 'external', 'labcloud', 'unknown'],
    ['one without a file of kubeadm', 'external', null, 'external'],
  ] as const)("a worker's kubelet is classified: %s", (_name, runs, written, expected) => {
    const file = written === null ? null : flagsFile(withCloudProvider('', written));
    expect(settledProvider([kubelet(`--cloud-provider=${runs}`)], file)).toBe(expected);
  });

  it.each([
    ['127.0.0.1', 'yes'],
    ['cp-1', 'yes'],
    ['cp-1.lab.invalid', 'yes'],
    ['10.0.0.1', 'yes'],
    ['api.lab.invalid', 'no'],
  ])("the address %s is cp-1's own API server: %s", (host, expected) => {
    const node = {
      metadata: { name: 'cp-1' },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    };
    expect(isOwnServer(host, node)).toBe(expected);
  });

  it.each([
    ['server: https://api.lab.invalid:6443', 'api.lab.invalid'],
    ['clusters: [{ cluster: { server: "https://10.0.0.1:6443" } }]', '10.0.0.1'],
    ['server: http://10.0.0.1:8080', null],
    ['server: https://:6443:1', null],
    ['', null],
  ])('the API server that kubeconfig %j names is %j', (text, host) =>
    expect(serverHost(text)).toBe(host),
  );

  it('an address is shared as soon as one node does not reach itself, unknown while one is unread', () => {
    expect(
      sharedAddressOf(
        new Map([
          ['a', 'yes'],
          ['b', 'yes'],
        ]),
      ),
    ).toBe('no');
    expect(
      sharedAddressOf(
        new Map([
          ['a', 'yes'],
          ['b', 'no'],
        ]),
      ),
    ).toBe('yes');
    expect(
      sharedAddressOf(
        new Map([
          ['a', 'no'],
          ['b', 'unknown'],
        ]),
      ),
    ).toBe('unknown');
    expect(sharedAddressOf(new Map())).toBe('unknown');
  });

  const pod = (component: string, node: string, image: string): PodObject => ({
    metadata: { name: `${component}-${node}`, labels: { component } },
    spec: { nodeName: node, containers: [{ image }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });

  it('the versions of all API servers are read, lowest first; /version counts while some hide', () => {
    const servers = [
      pod('kube-apiserver', 'cp-1', 'r/kube-apiserver:v1.30.14'),
      pod('kube-apiserver', 'cp-2', 'r/kube-apiserver:v1.29.15'),
    ];
    expect(apiServerVersions(servers, 2, '1.28.0')).toEqual(['1.29.15', '1.30.14']);
    expect(apiServerVersions(servers, 3, '1.28.0')).toEqual(['1.28.0', '1.29.15', '1.30.14']);
  });

  it('the inventory counts what grows with the cluster, and lists at most five exceptions of each kind', () => {
    const nodes = Array.from({ length: 8 }, (_, index) => ({
      metadata: { name: `w${String(index)}` },
    }));
    const { inventory } = summarizeInventory({
      nodes,
      services: [
        { metadata: { name: 'a', namespace: 'x' }, spec: { type: 'LoadBalancer' } },
        { metadata: { name: 'b', namespace: 'x' }, spec: { type: 'ClusterIP' } },
      ],
      volumes: [{ spec: { awsElasticBlockStore: {} } }, { spec: { csi: {} } }],
      kubelets: new Map([
        ['w0', 'external'],
        ['w1', 'inTree'],
        ['w2', 'none'],
        ['w3', 'unknown'],
      ]),
    });
    expect(inventory).toMatchObject({
      workers: { total: 8, kubeletExternal: 1, kubeletInTree: 2 },
      services: { loadBalancers: 1, pending: 1 },
      nodes: { withoutProviderId: 8 },
      persistentVolumes: { inTree: 1 },
    });
    expect(inventory.exceptions).toHaveLength(6);
  });

  it('an annotation does not make a kubelet external, since in-tree ones with --node-ip write it too', () => {
    const node = (name: string, more: Partial<NodeObject>): NodeObject => {
      return { metadata: { name }, ...more };
    };
    const annotations = { 'alpha.kubernetes.io/provided-node-ip': '10.0.0.1' };
    const key = 'node.cloudprovider.kubernetes.io/uninitialized';
    const nodes = [
      node('w0', { metadata: { name: 'w0', annotations } }),
      node('w1', { spec: { taints: [{ key, effect: 'NoSchedule' }] } }),
    ];
    const { inventory } = summarizeInventory({
      nodes,
      services: [],
      volumes: [],
      kubelets: new Map(),
    });
    expect(inventory.workers).toMatchObject({ total: 2, kubeletExternal: 1, kubeletInTree: 0 });
  });

  it('a Service that is being deleted waits as well, though it has an address', () => {
    const leaving = { name: 'a', namespace: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' };
    const { inventory } = summarizeInventory({
      nodes: [],
      services: [
        {
          metadata: leaving,
          spec: { type: 'LoadBalancer' },
          status: { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } },
        },
      ],
      volumes: [],
      kubelets: new Map(),
    });
    expect(inventory.services).toMatchObject({ loadBalancers: 1, pending: 1 });
    expect(inventory.exceptions).toEqual(['Service x/a waits for its deletion']);
  });

  it('a list counts beside the inventory that was made from it, and beside no other', () => {
    const listed = (ip: string) =>
      summarizeInventory({
        nodes: [],
        services: [
          {
            metadata: { name: 'a', namespace: 'x' },
            spec: { type: 'LoadBalancer' },
            status: { loadBalancer: { ingress: [{ ip }] } },
          },
        ],
        volumes: [],
        kubelets: new Map(),
      });
    const [first, later] = [listed('203.0.113.1'), listed('203.0.113.2')];
    const since = (then: typeof first | null) =>
      sinceInventory(first.inventory, then?.loadBalancers ?? null, later.loadBalancers);
    const both = { then: first.loadBalancers, now: later.loadBalancers };
    expect(since(first)).toEqual({ inventory: first.inventory, loadBalancers: both });
    expect(since(later).loadBalancers).toBeNull();
    expect(since(null).loadBalancers).toBeNull();
  });

  it('a foreign CCM workload is distinguished from ours, and several from one', () => {
    const daemonSet = (labels: Record<string, string>) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'vendor-ccm', namespace: 'kube-system', labels },
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: 'ccm',
                image: 'vendor/cloud-controller-manager:v1.30.14',
                args: ['--cloud-provider=x'],
              },
            ],
          },
        },
      },
    });
    const policy = policyOf();
    expect(workloadOf([], [], policy).observation.source).toBe('none');
    const foreign = workloadOf([daemonSet({})], [], policy);
    expect(foreign.observation).toMatchObject({ source: 'daemonSet', owner: 'foreign' });
    expect(foreign.observation.template?.version).toBe('1.30.14');
    const ours = { 'app.kubernetes.io/managed-by': 'ccm-migrate' };
    expect(workloadOf([daemonSet(ours)], [], policy).observation.owner).toBe('ours');
    expect(workloadOf([daemonSet({}), daemonSet({})], [], policy).observation.source).toBe(
      'unknown',
    );
  });
});
