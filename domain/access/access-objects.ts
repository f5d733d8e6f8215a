import { COMPONENTS } from '../managers/controller-names.js';
import { providerRules } from './provider-access.js';
import type { CcmRule, MigrationPolicy } from '../policy.js';
import type { LeaseRef, Manager } from '../vocabulary.js';

/** Complete RBAC objects as plain JSON: after an apply, nothing else is left in them. */
export interface AccessObject {
  readonly apiVersion: 'v1' | 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ServiceAccount' | 'Role' | 'RoleBinding' | 'ClusterRole' | 'ClusterRoleBinding';
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly AccessRule[];
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export type Subject =
  | { readonly apiGroup: 'rbac.authorization.k8s.io'; readonly kind: 'User'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string };

const RBAC = 'rbac.authorization.k8s.io';
const NAMESPACE = 'kube-system';
const LABELS = { 'app.kubernetes.io/managed-by': 'ccm-migrate' };

/** Name of our Role and RoleBinding for the migration Lease, in its namespace. */
const LEASE_GRANT_NAME = 'ccm-migrate-leader-migration';
/** Name of our ClusterRole, Roles and bindings of the CCM. */
const CCM_ACCESS_NAME = 'ccm-migrate-cloud-controller-manager';
/** Name of our Role and RoleBinding for what the CCM needs in one namespace besides its lock. */
const NAMESPACED_NAME = `${CCM_ACCESS_NAME}-namespaced`;

/** The two identities a manager may run as: the user of its certificate, or its service account. */
export function managerSubjects(manager: Manager): readonly Subject[] {
  const name = COMPONENTS[manager];
  return [
    { apiGroup: RBAC, kind: 'User', name: `system:${name}` },
    { kind: 'ServiceAccount', name, namespace: NAMESPACE },
  ];
}

/** User name as the API server sees a subject. */
export function userOf(subject: Subject): string {
  return subject.kind === 'User'
    ? subject.name
    : `system:serviceaccount:${subject.namespace}:${subject.name}`;
}

/**
 * Access to the migration Lease for KCM and CCM: a Role of our own, never a change of a bootstrap Role (the
 * guide's merge patch drops that Role's rules). `create` cannot be bound to a name; `list` is not needed.
 * Source: k8s.io/client-go tools/leaderelection/leaderelection.go; kubernetes.io RBAC reference; measured (P6).
 */
export function leaseGrantObjects(
  lock: LeaseRef,
  subjects: readonly Subject[] = [...managerSubjects('kcm'), ...managerSubjects('ccm')],
): readonly [AccessObject, AccessObject] {
  const { namespace, name } = lock;
  return [
    role('Role', LEASE_GRANT_NAME, leaseRules(name), namespace),
    binding(
      'RoleBinding',
      LEASE_GRANT_NAME,
      { kind: 'Role', name: LEASE_GRANT_NAME },
      subjects,
      namespace,
    ),
  ];
}

function leaseRules(name: string): readonly AccessRule[] {
  return [
    rule('coordination.k8s.io', ['leases'], ['create']),
    { ...rule('coordination.k8s.io', ['leases'], ['get', 'update']), resourceNames: [name] },
  ];
}

/** What decides the access a CCM needs. */
export interface CcmAccessNeeds {
  /** The CCM's main lock. */
  readonly mainLock: LeaseRef;
  /** `--use-service-account-credentials`: each controller then uses a token of its own bootstrap account. */
  readonly serviceAccountCredentials: boolean;
  /** Provider-specific rights beyond those of every CCM. */
  readonly besides?: readonly CcmRule[];
  /** Identities it runs as; both by default. */
  readonly subjects?: readonly Subject[];
}

/** The access of the CCM that a policy names. */
export function ccmAccessNeeds(
  { lock, source, ccm }: Pick<MigrationPolicy, 'lock' | 'source' | 'ccm'>,
  serviceAccountCredentials: boolean,
): CcmAccessNeeds {
  const mainLock = { namespace: lock.namespace, name: COMPONENTS.ccm };
  const besides = [...providerRules(source.cloudProvider, ccm.version), ...ccm.accessRules];
  return { mainLock, serviceAccountCredentials, besides };
}

/**
 * Exactly what a CCM needs: its account, its controllers' rights, its main lock, and what its secured port depends on.
 * `system:cloud-controller-manager` is not a bootstrap role, so nothing of this exists beforehand.
 * Source: k8s.io/cloud-provider controllers/{node,nodelifecycle,service,route}, app/controllermanager.go v0.30.
 */
export function ccmAccessObjects(needs: CcmAccessNeeds): readonly AccessObject[] {
  const { mainLock } = needs;
  const subjects = needs.subjects ?? managerSubjects('ccm');
  const own = CCM_ACCESS_NAME;
  const reader = 'extension-apiserver-authentication-reader';
  return [
    object('v1', 'ServiceAccount', COMPONENTS.ccm, NAMESPACE),
    role('ClusterRole', own, ccmRules(needs)),
    binding('ClusterRoleBinding', own, { kind: 'ClusterRole', name: own }, subjects),
    binding(
      'ClusterRoleBinding',
      `${own}-delegation`,
      { kind: 'ClusterRole', name: 'system:auth-delegator' },
      subjects,
    ),
    role('Role', own, leaseRules(mainLock.name), mainLock.namespace),
    binding('RoleBinding', own, { kind: 'Role', name: own }, subjects, mainLock.namespace),
    binding(
      'RoleBinding',
      `${own}-authentication`,
      { kind: 'Role', name: reader },
      subjects,
      NAMESPACE,
    ),
    ...ccmNamespacedRules(needs).flatMap(({ namespace, rules }) => [
      role('Role', NAMESPACED_NAME, rules, namespace),
      binding(
        'RoleBinding',
        NAMESPACED_NAME,
        { kind: 'Role', name: NAMESPACED_NAME },
        subjects,
        namespace,
      ),
    ]),
  ];
}

/** Rights of the CCM in the whole cluster. */
export function ccmRules({
  serviceAccountCredentials,
  besides = [],
}: Pick<CcmAccessNeeds, 'serviceAccountCredentials' | 'besides'>): readonly AccessRule[] {
  return [
    ...CONTROLLER_RULES,
    ...(serviceAccountCredentials ? CREDENTIAL_RULES : []),
    ...besides.filter(({ namespace }) => namespace === null).map(accessRule),
  ];
}

/** Rights of the CCM that hold in one namespace only, by namespace. */
export function ccmNamespacedRules({ besides = [] }: Pick<CcmAccessNeeds, 'besides'>): readonly {
  readonly namespace: string;
  readonly rules: readonly AccessRule[];
}[] {
  const namespaces = [...new Set(besides.map(({ namespace }) => namespace))].filter(
    (namespace) => namespace !== null,
  );
  return namespaces.toSorted().map((namespace) => ({
    namespace,
    rules: besides.filter((one) => one.namespace === namespace).map(accessRule),
  }));
}

function accessRule({ apiGroups, resources, resourceNames, verbs }: CcmRule): AccessRule {
  const names = resourceNames.length === 0 ? {} : { resourceNames };
  return { apiGroups, resources, ...names, verbs };
}

const CONTROLLER_RULES: readonly AccessRule[] = [
  rule('', ['events'], ['create', 'patch', 'update']),
  rule('events.k8s.io', ['events'], ['create', 'patch', 'update']),
  // The lifecycle controller needs delete; a role without it left dead nodes behind (cloud-provider-openstack#3225).
  rule('', ['nodes'], ['get', 'list', 'watch', 'update', 'patch', 'delete']),
  rule('', ['nodes/status'], ['patch', 'update']),
  rule('', ['services'], ['get', 'list', 'watch', 'update', 'patch']),
  rule('', ['services/status'], ['patch', 'update']),
];

const CONTROLLER_ACCOUNTS = ['node-controller', 'service-controller', 'route-controller'];

const CREDENTIAL_RULES: readonly AccessRule[] = [
  rule('', ['serviceaccounts'], ['create']),
  { ...rule('', ['serviceaccounts'], ['get']), resourceNames: CONTROLLER_ACCOUNTS },
  { ...rule('', ['serviceaccounts/token'], ['create']), resourceNames: CONTROLLER_ACCOUNTS },
];

function rule(
  apiGroup: string,
  resources: readonly string[],
  verbs: readonly string[],
): AccessRule {
  return { apiGroups: [apiGroup], resources, verbs };
}

function object(
  apiVersion: AccessObject['apiVersion'],
  kind: AccessObject['kind'],
  name: string,
  namespace?: string,
): AccessObject {
  const place = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion, kind, metadata: { ...place, labels: LABELS } };
}

function role(
  kind: 'Role' | 'ClusterRole',
  name: string,
  rules: readonly AccessRule[],
  namespace?: string,
): AccessObject {
  return { ...object(`${RBAC}/v1`, kind, name, namespace), rules };
}

function binding(
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  name: string,
  ref: { readonly kind: string; readonly name: string },
  subjects: readonly Subject[],
  namespace?: string,
): AccessObject {
  const roleRef = { apiGroup: RBAC, ...ref };
  return { ...object(`${RBAC}/v1`, kind, name, namespace), roleRef, subjects };
}
