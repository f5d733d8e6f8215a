import { loadBalancerName } from '../cloud/fake-cloud.js';
import { nodeDraft } from '../kubelets/node-object.js';
import { CLEANUP_FINALIZER } from '../loops/service-loop.js';
import { podCidr } from '../nodes/node-settings.js';
import { clusterConfiguration } from './base-files.js';
import { bootstrapAccess, ccmAccess, leaseGrant } from './bootstrap-access.js';
import type { CompleteSpec } from './cluster-spec.js';
import type { ClusterWorld } from './cluster-world.js';

/** Every object that exists in the API server before the first manager starts. */
export function layFirstDay(world: ClusterWorld, spec: CompleteSpec): void {
  for (const name of ['kube-system', 'default', 'kube-public']) {
    world.store.create('namespaces', {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  }
  const access = [
    ...bootstrapAccess(),
    ...(spec.leaseGrant ? leaseGrant() : []),
    ...(spec.ccmAccess ? ccmAccess() : []),
  ];
  for (const { resource, object } of access) world.store.create(resource, object);
  if (spec.kubeadm) layKubeadmConfig(world, spec);
  layServices(world, spec.loadBalancers);
  layVolumes(world, spec);
}

function layKubeadmConfig(world: ClusterWorld, spec: CompleteSpec): void {
  world.store.create('configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
    data: { ClusterConfiguration: clusterConfiguration(spec) },
  });
}

/** Load balancers that existed before: the cloud has them and their Services report them. */
function layServices(world: ClusterWorld, count: number): void {
  for (let index = 1; index <= count; index += 1) {
    const name = `web-${String(index)}`;
    const created = world.store.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default', finalizers: [CLEANUP_FINALIZER] },
      spec: {
        type: 'LoadBalancer',
        ports: [{ port: 80, protocol: 'TCP' }],
        selector: { app: name },
      },
    });
    if (!created.ok) continue;
    const ip = world.cloud.ensureLoadBalancer(loadBalancerName(created.object.metadata.uid));
    const status = { loadBalancer: { ingress: [{ ip }] } };
    world.store.update('services', { ...created.object, status }, { subresource: 'status' });
  }
}

function layVolumes(world: ClusterWorld, spec: CompleteSpec): void {
  for (let index = 1; index <= spec.persistentVolumes; index += 1) {
    const isInTree = index <= spec.inTreePersistentVolumes;
    const volumeHandle = `vol-${String(index)}`;
    world.store.create('persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${String(index)}` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        ...(isInTree
          ? { awsElasticBlockStore: { volumeID: volumeHandle } }
          : { csi: { driver: 'csi.lab.invalid', volumeHandle } }),
      },
      status: { phase: 'Bound' },
    });
  }
}

/** Worker nodes are objects only: nothing runs on them. */
export function layWorkers(world: ClusterWorld, spec: CompleteSpec): void {
  for (let index = 1; index <= spec.workers; index += 1) {
    const name = `worker-${String(index)}`;
    world.numbers.next += 1;
    const { next } = world.numbers;
    const cidr = podCidr(next);
    const facts = {
      ...{ name, osHostname: name, podCidr: cidr, role: 'worker' as const },
      ip: `10.77.${String(next >> 8)}.${String(next & 255)}`,
      kubeletVersion: spec.version,
      cloudProvider: spec.kubelet,
      bootId: world.draws.uuid(),
    };
    world.store.create('nodes', nodeDraft(facts, world.clock.nowMs()));
    world.cloud.instances.add(name);
    world.cloud.routes.set(name, cidr);
  }
}
