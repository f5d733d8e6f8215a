import type { ApiClient } from './api-client.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const OURS = '?labelSelector=app.kubernetes.io/managed-by%3Dccm-migrate';

/** Removes what a run of this project left in the cluster, except the fence: nodes remember its epoch. */
export async function removeTracesOfRuns(api: ApiClient): Promise<void> {
  const namespaced = `${RBAC}/namespaces/kube-system`;
  for (const path of [
    ...['clusterroles', 'clusterrolebindings'].map((kind) => `${RBAC}/${kind}`),
    ...['roles', 'rolebindings'].map((kind) => `${namespaced}/${kind}`),
  ]) {
    await api.must('DELETE', `${path}${OURS}`);
  }
  await api.send('DELETE', '/api/v1/namespaces/kube-system/configmaps/ccm-migrate-baseline');
}
