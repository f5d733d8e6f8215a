import type { AccessRule } from './access-objects.js';

/** One right of the user in a worker's kubeconfig, and what it is for. */
export interface WorkerRight extends AccessRule {
  /** Null for the whole cluster. */
  readonly namespace: string | null;
  /** Paths of a server instead of resources. */
  readonly nonResourceURLs?: readonly string[];
  /** One line, for those who review the role. */
  readonly why: string;
}

/** The role of a worker in one namespace, or in the whole cluster, with its binding; both as plain JSON. */
export interface WorkerRole {
  readonly role: RoleObject & { readonly rules: readonly RoleRule[] };
  readonly binding: RoleObject & {
    readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
    readonly subjects: readonly {
      readonly apiGroup: string;
      readonly kind: 'User';
      readonly name: string;
    }[];
  };
  /** What each rule is for, in their order. */
  readonly whys: readonly string[];
}

/** Of resources, or of paths. */
type RoleRule =
  AccessRule | { readonly nonResourceURLs: readonly string[]; readonly verbs: readonly string[] };

interface RoleObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The user that our documents give a worker. */
export const WORKER_USER = 'ccm-migrate';

const GROUP = 'rbac.authorization.k8s.io';

/** One role for each place that has rights, the whole cluster first. Nothing of it has the label of what runs create. */
export function workerRoles(rights: readonly WorkerRight[], user: string): readonly WorkerRole[] {
  const namespaces = rights.flatMap(({ namespace }) => (namespace === null ? [] : [namespace]));
  const places = [null, ...new Set(namespaces.toSorted())];
  return places.map((place) =>
    roleIn(
      place,
      rights.filter(({ namespace }) => namespace === place),
      user,
    ),
  );
}

function roleIn(
  namespace: string | null,
  rights: readonly WorkerRight[],
  user: string,
): WorkerRole {
  const kind = namespace === null ? 'ClusterRole' : 'Role';
  const apiVersion = `${GROUP}/v1`;
  const metadata = namespace === null ? { name: WORKER_USER } : { name: WORKER_USER, namespace };
  return {
    role: {
      ...{ apiVersion, kind, metadata },
      rules: rights.map(ruleOf),
    },
    binding: {
      ...{ apiVersion, kind: `${kind}Binding`, metadata },
      roleRef: { apiGroup: GROUP, kind, name: WORKER_USER },
      subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
    },
    whys: rights.map(({ why }) => why),
  };
}

function ruleOf({
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
  verbs,
}: WorkerRight): RoleRule {
  if (nonResourceURLs !== undefined) return { nonResourceURLs, verbs };
  return {
    ...{ apiGroups, resources },
    ...(resourceNames === undefined ? {} : { resourceNames }),
    verbs,
  };
}
