import { inTreeKcmManifest, schedulerManifest } from '../cluster/manifests.js';
import type { KubeletCloud, NodeSpec } from './node-spec.js';

/** The lab properties that determine its initial machines. */
export interface FirstNodes {
  readonly nodes: number;
  readonly workers: number;
  readonly from: string;
  readonly kubelets: KubeletCloud;
  readonly hostnames: 'same' | 'different';
}

/** Initial machines of a cluster: control-plane nodes with a KCM that owns the cloud controllers, then workers. */
export function firstNodes(plan: FirstNodes): readonly NodeSpec[] {
  const spec = (name: string, role: NodeSpec['role'], files: NodeSpec['files']): NodeSpec => ({
    ...{ name, role, files, version: plan.from, kubeletCloud: plan.kubelets },
    hostname: labHostname(name, plan.hostnames),
  });
  const manifests = {
    '/etc/kubernetes/manifests/kube-controller-manager.yaml': inTreeKcmManifest(plan.from),
    '/etc/kubernetes/manifests/kube-scheduler.yaml': schedulerManifest(plan.from),
  };
  const numbered = (prefix: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
  return [
    ...numbered('cp', plan.nodes).map((name) => spec(name, 'controlPlane', manifests)),
    ...numbered('worker', plan.workers).map((name) => spec(name, 'worker', {})),
  ];
}

/** The OS hostname of a node. */
export function labHostname(node: string, hostnames: FirstNodes['hostnames']): string {
  return hostnames === 'same' ? node : `ip-${node}`;
}
