import { readTree, type TreeNode } from '../../domain/documents/tree.js';
import type { Tristate } from '../../domain/vocabulary.js';
import type { CallOptions, KubernetesApi, ObjectRef } from '../ports.js';
import type { ConfigMapObject } from './objects.js';
import type { KubeadmReading } from './readings.js';

export const KUBEADM_CONFIG: ObjectRef = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'kube-system',
  name: 'kubeadm-config',
};

export const CLUSTER_CONFIGURATION = 'ClusterConfiguration';

export async function readKubeadm(
  api: KubernetesApi,
  options: CallOptions,
): Promise<KubeadmReading> {
  const found = await api.get<ConfigMapObject>(KUBEADM_CONFIG, options);
  if (found === null) return { configMap: 'absent', clusterConfiguration: '' };
  const text = found.object.data?.[CLUSTER_CONFIGURATION] ?? '';
  return { configMap: text === '' ? 'unknown' : 'present', clusterConfiguration: text };
}

/** Whether kubeadm is configured with an external etcd (`etcd.external`); unknown without its ConfigMap. */
export function isEtcdExternal({ clusterConfiguration }: KubeadmReading): Tristate {
  const tree = readTree(clusterConfiguration);
  if (tree.kind === 'invalid') return 'unknown';
  const etcd = memberOf(tree.root, 'etcd');
  return etcd === undefined || memberOf(etcd, 'external') === undefined ? 'no' : 'yes';
}

function memberOf(node: TreeNode, name: string): TreeNode | undefined {
  return node.kind === 'map' ? node.entries.findLast(({ key }) => key === name)?.value : undefined;
}
