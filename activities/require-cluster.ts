import type { ClusterRef } from './contract.js';
import { failure } from './failures.js';
import type { CallOptions, KubernetesApi } from './ports.js';

/**
 * Proves that the planned cluster answers: the UID of namespace kube-system is its identity behind any address.
 * `ClusterMismatch` when another one does.
 */
export async function requireCluster(
  api: KubernetesApi,
  cluster: ClusterRef,
  options: CallOptions,
): Promise<void> {
  const found = await api.get(
    { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' },
    options,
  );
  const uid = found?.object.metadata?.uid ?? '';
  if (uid === cluster.uid) return;
  throw failure(
    'ClusterMismatch',
    `cluster ${cluster.name}: its address answers as ${uid === '' ? 'no known cluster' : uid}, planned was ` +
      `${cluster.uid}. Correct its kubeconfig in the inventory and plan again`,
  );
}
