import { CCM_RULES, rule, type Rule } from '../../base/auth/ccm-rules.js';
import type { DraftObject } from '../model.js';
import { BUILT_IN_LEADER_NAME } from '../versions/behaviour.js';

const RBAC = 'rbac.authorization.k8s.io';
const LEASES = 'coordination.k8s.io';
const DELEGATOR = 'system:auth-delegator';
const AUTHENTICATION_READER = 'extension-apiserver-authentication-reader';
/** What a server needs in order to delegate its authorization to the API server. */
const DELEGATION: readonly Rule[] = [
  rule(['authentication.k8s.io'], ['tokenreviews'], ['create']),
  rule(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
];

interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
}

export interface BootstrapObject {
  readonly resource: string;
  readonly object: DraftObject;
}

const KCM: Subject = { kind: 'User', name: 'system:kube-controller-manager' };
const CCM: Subject = { kind: 'User', name: 'system:cloud-controller-manager' };
const CCM_ACCOUNT: Subject = { kind: 'ServiceAccount', name: 'cloud-controller-manager' };

/**
 * What every API server creates for itself at its start, as far as managers need it. The KCM may create any Lease by
 * the ClusterRole's unnamed rule but get and update only its own.
 * Source: kubernetes/kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy/{policy,controller_policy}.go, v1.30.
 */
export function bootstrapAccess(): readonly BootstrapObject[] {
  const all: Rule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
  return [
    ...clusterAccess('cluster-admin', [all], [{ kind: 'Group', name: 'system:masters' }]),
    ...clusterAccess(
      'system:kube-controller-manager',
      [
        rule([LEASES], ['leases'], ['create']),
        rule([LEASES], ['leases'], ['get', 'update'], ['kube-controller-manager']),
        rule(['*'], ['*'], ['list', 'watch']),
        rule([''], ['serviceaccounts/token'], ['create']),
        EVENTS,
        ...DELEGATION,
      ],
      [KCM],
    ),
    ...delegationRoles(),
    ...namespacedAccess(
      'system::leader-locking-kube-controller-manager',
      [
        rule([''], ['configmaps'], ['watch']),
        rule([''], ['configmaps'], ['get', 'update'], ['kube-controller-manager']),
      ],
      [KCM, { kind: 'ServiceAccount', name: 'kube-controller-manager' }],
    ),
    ...loopAccess(),
  ];
}

/**
 * Roles for servers that delegate authorization to the API server; the KCM's own role includes the rights of the
 * first one.
 */
function delegationRoles(): readonly BootstrapObject[] {
  return [
    { resource: 'clusterroles', object: clusterRole(DELEGATOR, DELEGATION) },
    ...namespacedAccess(
      AUTHENTICATION_READER,
      [
        rule(
          [''],
          ['configmaps'],
          ['get', 'list', 'watch'],
          ['extension-apiserver-authentication'],
        ),
      ],
      [KCM],
      `system::${AUTHENTICATION_READER}`,
    ),
  ];
}

/** Source: bootstrappolicy/policy.go eventsRule(), without the group events.k8s.io, which is not served here. */
const EVENTS = rule([''], ['events'], ['create', 'patch', 'update']);

/** ServiceAccounts of the loops, for managers with `--use-service-account-credentials`. */
function loopAccess(): readonly BootstrapObject[] {
  return [
    ...controllerAccess('service-controller', [
      rule([''], ['services'], ['get', 'list', 'watch', 'patch', 'update']),
      rule([''], ['services/status'], ['patch', 'update']),
      rule([''], ['nodes'], ['list', 'watch']),
      EVENTS,
    ]),
    ...controllerAccess('route-controller', [
      rule([''], ['nodes'], ['list', 'watch']),
      rule([''], ['nodes/status'], ['patch']),
      EVENTS,
    ]),
    ...controllerAccess('node-controller', [
      rule([''], ['nodes'], ['get', 'list', 'update', 'delete', 'patch']),
      rule([''], ['nodes/status'], ['patch', 'update']),
      EVENTS,
    ]),
  ];
}

/** What vendors' manifests grant a CCM; with all rights of its own it needs no ServiceAccounts for its loops. */
export function ccmAccess(): readonly BootstrapObject[] {
  return [
    {
      resource: 'serviceaccounts',
      object: {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: CCM_ACCOUNT.name, namespace: 'kube-system' },
      },
    },
    ...clusterAccess(CCM.name, CCM_RULES, [CCM, CCM_ACCOUNT]),
    clusterRoleBinding(`${CCM.name}:delegation`, DELEGATOR, [CCM, CCM_ACCOUNT]),
    roleBinding(`${CCM.name}:authentication`, AUTHENTICATION_READER, [CCM, CCM_ACCOUNT]),
  ];
}

/** The separate Role that lets both managers use the migration Lease. */
export function leaseGrant(): readonly BootstrapObject[] {
  return namespacedAccess(
    'leader-migration',
    [
      rule([LEASES], ['leases'], ['create']),
      rule([LEASES], ['leases'], ['get', 'update'], [BUILT_IN_LEADER_NAME]),
    ],
    [KCM, CCM, CCM_ACCOUNT],
  );
}

function controllerAccess(account: string, rules: readonly Rule[]): readonly BootstrapObject[] {
  return clusterAccess(`system:controller:${account}`, rules, [
    { kind: 'ServiceAccount', name: account },
  ]);
}

function clusterAccess(
  name: string,
  rules: readonly Rule[],
  subjects: readonly Subject[],
): readonly BootstrapObject[] {
  return [
    { resource: 'clusterroles', object: clusterRole(name, rules) },
    clusterRoleBinding(name, name, subjects),
  ];
}

function namespacedAccess(
  name: string,
  rules: readonly Rule[],
  subjects: readonly Subject[],
  bindingName = name,
): readonly BootstrapObject[] {
  return [
    { resource: 'roles', object: access('Role', { name, namespace: 'kube-system' }, { rules }) },
    roleBinding(bindingName, name, subjects),
  ];
}

function clusterRoleBinding(
  name: string,
  role: string,
  subjects: readonly Subject[],
): BootstrapObject {
  const parts = bindingParts('ClusterRole', role, subjects);
  return { resource: 'clusterrolebindings', object: access('ClusterRoleBinding', { name }, parts) };
}

function roleBinding(name: string, role: string, subjects: readonly Subject[]): BootstrapObject {
  const metadata = { name, namespace: 'kube-system' };
  const object = access('RoleBinding', metadata, bindingParts('Role', role, subjects));
  return { resource: 'rolebindings', object };
}

function clusterRole(name: string, rules: readonly Rule[]): DraftObject {
  return access('ClusterRole', { name }, { rules });
}

function access(kind: string, metadata: DraftObject['metadata'], parts: object): DraftObject {
  return { apiVersion: `${RBAC}/v1`, kind, metadata, ...parts };
}

function bindingParts(kind: string, name: string, subjects: readonly Subject[]): object {
  return {
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: subjects.map((subject) =>
      subject.kind === 'ServiceAccount'
        ? { ...subject, namespace: 'kube-system' }
        : { ...subject, apiGroup: RBAC },
    ),
  };
}
