import { DEFAULT_LEADER_NAME } from '../controllers/names.js';

/** A rule of a Role in the fields that the guide's patch writes. */
export interface RoleRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs?: readonly string[];
}

/** Kubernetes' own Role that the official guide patches. */
export const GUIDE_ROLE = 'system::leader-locking-kube-controller-manager';

/**
 * Whether the guide's patch is in these rules: `create` on a migration Lease by its name, which nobody else writes, for a name
 * allows no creation. Source: kubernetes/website controller-manager-leader-migration, "Grant access to Migration Lease".
 */
export function hasGuidePatch(rules: readonly RoleRule[], lockName: string): boolean {
  return rules.some(
    ({ apiGroups = [], resources = [], resourceNames = [], verbs = [] }) =>
      apiGroups.includes('coordination.k8s.io') &&
      resources.includes('leases') &&
      verbs.includes('create') &&
      [DEFAULT_LEADER_NAME, lockName].some((name) => resourceNames.includes(name)),
  );
}
