import type { ClusterRef } from './contract.js';
import { failure } from './failures.js';
import type { CallOptions, KubernetesApi } from './ports.js';

/** Whether the planned cluster answers. */
export async function isCluster(
  api: KubernetesApi,
  cluster: ClusterRef,
  options: CallOptions,
): Promise<boolean> {
  return (await uidOf(api, options)) === cluster.uid;
}

/**
 * Proves that the planned cluster answers: the UID of namespace kube-system is its identity behind any address.
 * `ClusterMismatch` otherwise.
 */
export async function requireCluster(
  api: KubernetesApi,
  cluster: ClusterRef,
  options: CallOptions,
): Promise<void> {
  const uid = await uidOf(api, options);
  if (uid === cluster.uid) return;
  throw failure(
    'ClusterMismatch',
    `cluster ${cluster.name}: its address answers as ${uid === '' ? 'no known cluster' : uid}, planned was ` +
      `${cluster.uid}. Correct its kubeconfig in the inventory and plan again`,
  );
}

/** Empty when nothing like a cluster answers. */
async function uidOf(api: KubernetesApi, options: CallOptions): Promise<string> {
  const found = await api.get(
    { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' },
    options,
  );
  return found?.object.metadata?.uid ?? '';
}
