/** A rule of RBAC. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

export function rule(
  apiGroups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): Rule {
  return { apiGroups, resources, verbs, ...(resourceNames && { resourceNames }) };
}

/** What vendors' manifests grant a CCM that runs its loops with its own identity; no cluster-admin. */
export const CCM_RULES: readonly Rule[] = [
  rule(['coordination.k8s.io'], ['leases'], ['get', 'create', 'update']),
  rule([''], ['events'], ['create', 'patch', 'update']),
  rule([''], ['nodes'], ['get', 'list', 'watch', 'update', 'patch', 'delete']),
  rule([''], ['nodes/status'], ['patch']),
  rule([''], ['services'], ['get', 'list', 'watch', 'update', 'patch']),
  rule([''], ['services/status'], ['update', 'patch']),
  rule([''], ['serviceaccounts'], ['create', 'get']),
  rule([''], ['serviceaccounts/token'], ['create']),
];
