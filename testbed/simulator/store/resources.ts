/** One kind that the simulated API server serves, with its special rules. */
export interface ResourceKind {
  /** Plural of the path, unique among the kinds served. */
  readonly resource: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether `/status` is a separate subresource, which writes to the object do not change. */
  readonly status: boolean;
  /** Whether metadata.generation counts changes of the spec. */
  readonly generation: boolean;
  /** Whether a PUT creates a missing object (strategy.go `AllowCreateOnUpdate`), whatever version it names. */
  readonly createdByUpdate: boolean;
  /** Whether a PUT needs no resourceVersion (strategy.go `AllowUnconditionalUpdate`). */
  readonly unconditional: boolean;
  /** Whether a DELETE returns the object instead of a Status (`ReturnDeletedObject`). */
  readonly toldWhenDeleted: boolean;
}

type Traits = Partial<Omit<ResourceKind, 'resource' | 'group' | 'version' | 'kind'>>;

function kind(groupVersion: string, resource: string, name: string, traits: Traits): ResourceKind {
  const [first = '', second] = groupVersion.split('/');
  const group = second === undefined ? '' : first;
  return {
    resource,
    group,
    version: second ?? first,
    kind: name,
    namespaced: true,
    status: false,
    generation: false,
    createdByUpdate: false,
    unconditional: true,
    toldWhenDeleted: false,
    ...traits,
  };
}

const RBAC = 'rbac.authorization.k8s.io/v1';
const TOLD = { toldWhenDeleted: true };
const MADE = { createdByUpdate: true };

export const RESOURCES: readonly ResourceKind[] = [
  kind('v1', 'nodes', 'Node', { namespaced: false, status: true }),
  kind('v1', 'pods', 'Pod', { status: true, ...TOLD }),
  kind('v1', 'namespaces', 'Namespace', { namespaced: false, status: true }),
  kind('v1', 'services', 'Service', { status: true, ...TOLD, ...MADE }),
  kind('v1', 'configmaps', 'ConfigMap', {}),
  kind('v1', 'secrets', 'Secret', {}),
  kind('v1', 'serviceaccounts', 'ServiceAccount', TOLD),
  kind('v1', 'persistentvolumes', 'PersistentVolume', {
    ...{ namespaced: false, status: true, ...TOLD },
  }),
  kind('v1', 'events', 'Event', MADE),
  kind('coordination.k8s.io/v1', 'leases', 'Lease', { ...MADE, unconditional: false }),
  kind(RBAC, 'roles', 'Role', MADE),
  kind(RBAC, 'rolebindings', 'RoleBinding', MADE),
  kind(RBAC, 'clusterroles', 'ClusterRole', { namespaced: false, ...MADE }),
  kind(RBAC, 'clusterrolebindings', 'ClusterRoleBinding', { namespaced: false, ...MADE }),
  kind('apps/v1', 'daemonsets', 'DaemonSet', { status: true, generation: true }),
  kind('apps/v1', 'deployments', 'Deployment', { status: true, generation: true }),
  kind('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', {
    status: true,
    generation: true,
    unconditional: false,
  }),
];

const BY_PLURAL = new Map(RESOURCES.map((entry) => [entry.resource, entry]));

export function resourceKind(resource: string): ResourceKind | undefined {
  return BY_PLURAL.get(resource);
}

export function apiVersionOf(entry: ResourceKind): string {
  return entry.group === '' ? entry.version : `${entry.group}/${entry.version}`;
}

/** `leases.coordination.k8s.io`, as the API server's messages name a resource. */
export function qualifiedName(entry: ResourceKind): string {
  return entry.group === '' ? entry.resource : `${entry.resource}.${entry.group}`;
}
