import { CCM_RULES } from '../../base/auth/ccm-rules.js';
import type { ApiClient } from './api-client.js';
import { clusterConfiguration } from './kubeadm-config.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

export interface FirstObjects {
  readonly version: string;
  readonly server: string;
  /** Whether the CCM's access exists before any migration. */
  readonly ccmAccess: boolean;
  /** Names of a stacked etcd's members; null for an external etcd. */
  readonly etcdNames: readonly string[] | null;
}

const CCM_ACCESS = 'system:cloud-controller-manager';
const CCM_SUBJECTS = [
  { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: CCM_ACCESS },
  { kind: 'ServiceAccount', name: 'cloud-controller-manager', namespace: 'kube-system' },
];

/**
 * Lets the CCM authenticate and authorize requests for its metrics (TokenReview, SubjectAccessReview) where no run of
 * ours grants it.
 */
export async function bindAuthDelegator(api: ApiClient): Promise<void> {
  await api.ensure(`${RBAC}/clusterrolebindings`, {
    metadata: { name: `${CCM_ACCESS}:delegation` },
    roleRef: {
      ...{ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' },
      name: 'system:auth-delegator',
    },
    subjects: CCM_SUBJECTS,
  });
}

/** Creates the objects of a new kubeadm cluster that a migration touches. */
export async function createFirstObjects(api: ApiClient, wanted: FirstObjects): Promise<void> {
  await api.until('/api/v1/namespaces/kube-system', 30_000);
  await bindGroup(api, 'kubeadm:cluster-admins', 'cluster-admin', 'kubeadm:cluster-admins');
  await api.ensure('/api/v1/namespaces/kube-system/configmaps', {
    metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
    data: {
      ClusterConfiguration: clusterConfiguration(wanted.version, wanted.server, wanted.etcdNames),
    },
  });
  if (wanted.ccmAccess) await createCcmAccess(api);
}

async function bindGroup(api: ApiClient, name: string, role: string, group: string): Promise<void> {
  await api.ensure(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  });
}

/**
 * An explicit ClusterRole, bound to the CCM's user and, for a CCM that runs as a pod, its ServiceAccount. Some
 * vendors do not allow the delegated reviews of metrics requests (kubernetes/cloud-provider-vsphere v1.30.1
 * releases/v1.30 does not): see {@link bindAuthDelegator}.
 */
async function createCcmAccess(api: ApiClient): Promise<void> {
  const name = CCM_ACCESS;
  const account = { name: 'cloud-controller-manager', namespace: 'kube-system' };
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = CCM_SUBJECTS;
  await api.ensure('/api/v1/namespaces/kube-system/serviceaccounts', { metadata: account });
  await api.ensure(`${RBAC}/clusterroles`, { metadata: { name }, rules: CCM_RULES });
  await api.ensure(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects,
  });
  // The CCM's delegated authentication reads the request header CA through this Role.
  await api.ensure(`${RBAC}/namespaces/kube-system/rolebindings`, {
    metadata: { name: `${name}:authentication-reader`, namespace: 'kube-system' },
    roleRef: { apiGroup, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    subjects,
  });
}
