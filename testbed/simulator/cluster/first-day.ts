import { loadBalancerName } from '../cloud/fake-cloud.js';
import { nodeDraft } from '../kubelets/node-object.js';
import { CLEANUP_FINALIZER } from '../loops/service-facts.js';
import { podCidr } from '../nodes/node-settings.js';
import { kubeadmConfiguration } from './base-files.js';
import { bootstrapAccess, ccmAccess, leaseGrant } from './bootstrap-access.js';
import type { CompleteSpec } from './cluster-spec.js';
import type { ClusterEnvironment } from './cluster-environment.js';

/** Every object that exists in the API server before the first manager starts. */
export function layFirstDay(environment: ClusterEnvironment, spec: CompleteSpec): void {
  for (const name of ['kube-system', 'default', 'kube-public']) {
    environment.store.create('namespaces', {
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
  for (const { resource, object } of access) environment.store.create(resource, object);
  layKubeadmConfig(environment, spec);
  layServices(environment, spec.loadBalancers);
}

function layKubeadmConfig(environment: ClusterEnvironment, spec: CompleteSpec): void {
  environment.store.create('configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
    data: { ClusterConfiguration: kubeadmConfiguration(spec) },
  });
}

/** Load balancers that existed before: the cloud has them and their Services report them. */
function layServices(environment: ClusterEnvironment, count: number): void {
  for (let index = 1; index <= count; index += 1) {
    const name = `web-${String(index)}`;
    const created = environment.store.create('services', {
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
    const ip = environment.cloud.ensureLoadBalancer(loadBalancerName(created.object.metadata.uid));
    const status = { loadBalancer: { ingress: [{ ip }] } };
    environment.store.update('services', { ...created.object, status }, { subresource: 'status' });
  }
}

/** Worker nodes are objects only: nothing runs on them. */
export function layWorkers(environment: ClusterEnvironment, spec: CompleteSpec): void {
  for (let index = 1; index <= spec.workers; index += 1) {
    const name = `worker-${String(index)}`;
    environment.numbers.next += 1;
    const { next } = environment.numbers;
    const cidr = podCidr(next);
    const facts = {
      ...{ name, osHostname: name, podCidr: cidr, role: 'worker' as const },
      ip: `10.77.${String(next >> 8)}.${String(next & 255)}`,
      kubeletVersion: spec.version,
      cloudProvider: spec.kubelet,
      bootId: environment.draws.uuid(),
    };
    environment.store.create('nodes', nodeDraft(facts, environment.clock.nowMs()));
    environment.cloud.instances.add(name);
    environment.cloud.routes.set(name, cidr);
  }
  // They were given to load balancers before this day.
  const names = Array.from({ length: spec.workers }, (_, index) => `worker-${String(index + 1)}`);
  for (const balancer of environment.cloud.loadBalancers.keys()) {
    environment.cloud.setBackends(balancer, names.toSorted());
  }
}
