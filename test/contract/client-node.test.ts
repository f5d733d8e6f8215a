import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  RbacAuthorizationV1Api,
  V1Role,
  VersionApi,
  type V1Lease,
  type V1Node,
  type V1Pod,
} from '@kubernetes/client-node';
import { connectCluster, type ConnectedCluster } from '../../activities/adapters/connect.js';
import type { Wire } from '../../activities/adapters/kubernetes/kubernetes.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import type { NodeObject, PodObject } from '../../activities/observe/objects.js';
import type { ApiObject } from '../../activities/ports.js';
import { loadInventory } from '../../config/loaded-inventories.js';
import { createRealClock, type RealClock } from '../../testbed/simulator/clock/real-clock.js';
import { createCluster } from '../../testbed/simulator/cluster/create-cluster.js';
import {
  serveClusters,
  type RunningSimulator,
} from '../../testbed/simulator/server/serve-clusters.js';
import { eventually } from './eventually.js';

/** Compiles only while client-node's type of each kind can be read as the type of our ports. */
const asPort = {
  node: (node: Wire<V1Node>): NodeObject => node,
  pod: (pod: Wire<V1Pod>): PodObject => pod,
  lease: (lease: Wire<V1Lease>): ApiObject => lease,
};

let folder: string;
let clock: RealClock;
let served: RunningSimulator;
let connection: ConnectedCluster;
const kubeConfig = new KubeConfig();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-client-node-'));
  clock = createRealClock(20);
  const cluster = createCluster({ id: 'alpha', clock, workers: 1, loadBalancers: 1 });
  served = await serveClusters({ clusters: [cluster], port: 0, speed: 20, stateDir: folder });
  const [entry] = await loadInventory(served.inventoryPath);
  if (entry === undefined) throw new Error('the simulator wrote an empty inventory');
  connection = await connectCluster(entry);
  kubeConfig.loadFromFile(entry.kubeconfig);
});

afterAll(async () => {
  await connection.close();
  await closeTransports();
  await served.stop();
  clock.stop();
  await rm(folder, { recursive: true });
});

describe('the official client and our adapter see the same simulated cluster', () => {
  it('the official client and our adapter read the same version', async () => {
    const { gitVersion } = await kubeConfig.makeApiClient(VersionApi).getCode();
    expect((await connection.api.serverVersion()).gitVersion).toBe(gitVersion);
  });

  it('the official client and our adapter read the same nodes and pods, as the official models', async () => {
    const core = kubeConfig.makeApiClient(CoreV1Api);
    const nodes = await core.listNode();
    expect(nodes.items[0]?.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const ours = await connection.api.list<NodeObject>({ apiVersion: 'v1', kind: 'Node' });
    expect(ours.items.map((node) => node.metadata?.uid)).toEqual(
      nodes.items.map((node) => node.metadata?.uid),
    );
    const pods = await eventually(20_000, async () => {
      const { items } = await core.listNamespacedPod({ namespace: 'kube-system' });
      return items.length > 0 ? items : null;
    });
    expect(pods[0]?.spec?.containers[0]?.image).toEqual(expect.any(String));
    expect(Object.keys(asPort)).toEqual(['node', 'pod', 'lease']);
  });

  it('the official client and our adapter parse the times of Leases, and are refused an older version alike', async () => {
    const leases = kubeConfig.makeApiClient(CoordinationV1Api);
    const name = 'client-node';
    const namespace = 'kube-system';
    const renewTime = '2026-11-21T10:00:00.000000Z';
    const made = await connection.api.create({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace },
      spec: { holderIdentity: 'us', leaseDurationSeconds: 15, renewTime },
    } as ApiObject);
    const read = await leases.readNamespacedLease({ name, namespace });
    expect(read.spec?.holderIdentity).toBe('us');
    expect(Date.parse(String(read.spec?.renewTime))).toBe(Date.parse(renewTime));
    await connection.api.mergePatch(
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name, namespace },
      { spec: { holderIdentity: '' } },
    );
    await expect(
      leases.replaceNamespacedLease({ name, namespace, body: read }),
    ).rejects.toMatchObject({ code: 409 });
    await expect(connection.api.replace(made)).rejects.toMatchObject({ type: 'Conflict' });
  });

  it('the official client and our adapter read what either of them creates', async () => {
    const rbac = kubeConfig.makeApiClient(RbacAuthorizationV1Api);
    const role = Object.assign(new V1Role(), {
      metadata: { name: 'made-by-client-node' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    });
    await rbac.createNamespacedRole({
      namespace: 'kube-system',
      body: role,
    });
    const ref = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      namespace: 'kube-system',
    };
    const found = await connection.api.get({ ...ref, name: 'made-by-client-node' });
    expect(found?.object).toMatchObject({ rules: [{ resources: ['pods'] }] });
    await connection.api.remove({ ...ref, name: 'made-by-client-node' });
    await expect(
      rbac.readNamespacedRole({ namespace: 'kube-system', name: 'made-by-client-node' }),
    ).rejects.toMatchObject({ code: 404 });
  });
});
