import type { LabCluster } from '../../../../testbed/lab/cluster/lab-cluster.js';
import { ccmAccess, leaseGrant } from '../../../../testbed/simulator/cluster/bootstrap-access.js';
import { MAIN } from '../../simulator/environment.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
export const ROLES = `${RBAC}/namespaces/kube-system/roles`;
const BINDINGS = `${RBAC}/namespaces/kube-system/rolebindings`;
export const BOOTSTRAP_ROLE = 'system::leader-locking-kube-controller-manager';
const CCM_ROLE = `${RBAC}/clusterroles/system:cloud-controller-manager`;
const KCM_ONLY = 'kcm-only';

/** Grants both managers the migration Lease, or revokes it; the CCM's own role is as its vendor wrote it. */
export async function setLeaseGrant({ api }: LabCluster, granted: boolean): Promise<void> {
  await api.send('DELETE', `${BINDINGS}/${KCM_ONLY}`);
  const [vendor] = ccmAccess().filter(({ resource }) => resource === 'clusterroles');
  await api.mergePatch(CCM_ROLE, { rules: vendor?.object['rules'] });
  for (const { resource, object } of leaseGrant()) {
    const path = resource === 'roles' ? ROLES : BINDINGS;
    await api.send('DELETE', `${path}/${object.metadata.name}`);
    if (granted) await api.ensure(path, object);
  }
}

/** Leaves the CCM only its main Lease, and the migration Lease only to the KCM. */
export async function forbidMigrationLease({ api }: LabCluster): Promise<void> {
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  const [vendor] = ccmAccess().filter(({ resource }) => resource === 'clusterroles');
  const rules = vendor?.object['rules'];
  const others = Array.isArray(rules)
    ? rules.filter((rule) => !JSON.stringify(rule).includes('"leases"'))
    : [];
  await api.mergePatch(CCM_ROLE, {
    rules: [
      { ...leases, verbs: ['create'] },
      { ...leases, verbs: ['get', 'update'], resourceNames: [MAIN.ccm] },
      ...others,
    ],
  });
  await api.send('DELETE', `${BINDINGS}/leader-migration`);
  await api.ensure(BINDINGS, {
    metadata: { name: KCM_ONLY },
    roleRef: { apiGroup: GROUP, kind: 'Role', name: 'leader-migration' },
    subjects: [{ apiGroup: GROUP, kind: 'User', name: 'system:kube-controller-manager' }],
  });
}
