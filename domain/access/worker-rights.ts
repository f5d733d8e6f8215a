import { PROBE_SERVICE } from '../probes/balancer-probe.js';
import {
  compileLeaderMigration,
  migrationConfigMapName,
} from '../managers/compile-leader-migration.js';
import { COMPONENTS } from '../managers/controller-names.js';
import type { MigrationPolicy } from '../policy.js';
import type { AccessObject } from './access-objects.js';
import { minimalRights } from './minimal-rights.js';
import { GUIDE_ROLE } from './access-reviews.js';
import type { WorkerRight } from './worker-role.js';

/** What decides the rights of a worker on a cluster. */
export interface WorkerNeeds {
  readonly policy: MigrationPolicy;
  /** The access of KCM and CCM under the policy, complete. */
  readonly access: readonly AccessObject[];
  /** Services beside the API server that ask the cluster's own RBAC, as the simulator's do. */
  readonly beside: {
    readonly nodeAccess: boolean;
    readonly machines: boolean;
    readonly balancers: boolean;
    /** Nodes over SSH: their addresses, and pages of managers, which ask the API server about the user. */
    readonly ssh: boolean;
  };
}

const SYSTEM = 'kube-system';
const LEASES = 'coordination.k8s.io';
const RBAC = 'rbac.authorization.k8s.io';
const FENCE = 'ccm-migrate';
const BASELINE = 'ccm-migrate-baseline';

/**
 * Everything that runs, `check` and `plan` ask of the API server under this policy, and no more; a list or a create cannot
 * be bound to a name. Without DaemonSets and granted access nothing of it reads a Secret or starts a container.
 */
export function workerRights(needs: WorkerNeeds): readonly WorkerRight[] {
  const { policy, access, beside } = needs;
  const replaces = policy.nodes.forward === 'replace' || policy.nodes.rollback === 'replace';
  return minimalRights([
    ...observationRights(policy, access),
    ...leaseRights(policy),
    ...configurationRights(),
    ...(replaces ? replacementRights() : []),
    ...(policy.rollWorkers.enabled ? [everywhere('', ['nodes'], ['get'], 'rolls workers')] : []),
    ...(policy.ccm.deployAs === 'daemonSet' ? daemonSetRights(policy) : []),
    ...(policy.probes === undefined ? [] : probeRights()),
    ...(policy.clusterAccess === 'provided' ? [] : grantedRights(access)),
    ...besideRights(beside, policy, replaces),
  ]);
}

function observationRights(
  { lock, metricGates }: MigrationPolicy,
  access: readonly AccessObject[],
): readonly WorkerRight[] {
  const placed = access.flatMap(({ metadata: { namespace } }) => namespace ?? []);
  return [
    everywhere('', ['nodes'], ['list'], 'nodes, their addresses and taints'),
    everywhere(
      '',
      ['services', 'persistentvolumes'],
      ['list'],
      'what the cloud serves, to compare',
    ),
    ...(metricGates?.objects === 'watch'
      ? [everywhere('', ['events'], ['list'], 'gates on failures of load balancers and routes')]
      : []),
    everywhere(RBAC, ['clusterroles', 'clusterrolebindings'], ['list'], 'the access of the CCM'),
    everywhere(
      'authorization.k8s.io',
      ['subjectaccessreviews'],
      ['create'],
      'what managers may do',
    ),
    right(null, '', ['namespaces'], ['get'], 'which cluster it is', [SYSTEM]),
    right(SYSTEM, '', ['pods', 'configmaps'], ['list'], 'managers, and what runs have recorded'),
    right(SYSTEM, 'apps', ['daemonsets', 'deployments'], ['list'], 'what else starts a CCM'),
    ...[...new Set([SYSTEM, lock.namespace, ...placed])].map((namespace) =>
      right(namespace, RBAC, ['roles', 'rolebindings'], ['list'], 'the access of KCM and CCM'),
    ),
    right(SYSTEM, '', ['serviceaccounts'], ['get'], 'the identity of the CCM', [COMPONENTS.ccm]),
    right(SYSTEM, RBAC, ['roles'], ['get'], 'whether the guide has patched it', [GUIDE_ROLE]),
  ];
}

function leaseRights(policy: MigrationPolicy): readonly WorkerRight[] {
  const { lock, strategy } = policy;
  const sharesLock = strategy !== 'gap';
  const inLockNamespace = sharesLock ? [COMPONENTS.ccm, lock.name] : [COMPONENTS.ccm];
  const locks: readonly (readonly [string, readonly string[]])[] =
    lock.namespace === SYSTEM
      ? [[SYSTEM, [COMPONENTS.kcm, ...inLockNamespace]]]
      : [
          [SYSTEM, [COMPONENTS.kcm]],
          [lock.namespace, inLockNamespace],
        ];
  const ofFence = ['get', 'update', 'patch', 'watch'];
  return [
    right(SYSTEM, LEASES, ['leases'], ['create'], 'the fence of a run'),
    right(SYSTEM, LEASES, ['leases'], ofFence, 'the fence of a run', [FENCE]),
    ...locks.flatMap(([namespace, names]) => [
      right(namespace, LEASES, ['leases'], ['list'], 'who leads'),
      right(namespace, LEASES, ['leases'], ['get', 'patch'], 'the lock of an ended manager', names),
    ]),
    ...(sharesLock && endsLock(policy)
      ? [right(lock.namespace, LEASES, ['leases'], ['delete'], 'when none uses it', [lock.name])]
      : []),
  ];
}

/** Whether a run removes the migration Lease, and its grant if runs create that. */
function endsLock(policy: MigrationPolicy): boolean {
  return (
    policy.disableLeaderMigration === 'afterSoak' || policy.leaderMigrationAfterRollback === 'off'
  );
}

function configurationRights(): readonly WorkerRight[] {
  return [
    right(SYSTEM, '', ['configmaps'], ['create'], 'the baseline that a rollback restores'),
    right(SYSTEM, '', ['configmaps'], ['get'], 'the baseline that a rollback restores', [BASELINE]),
    right(SYSTEM, '', ['configmaps'], ['get', 'patch'], 'so that kubeadm agrees', [
      'kubeadm-config',
    ]),
    right(SYSTEM, '', ['pods'], ['get'], 'the mirror pods of the managers'),
  ];
}

function replacementRights(): readonly WorkerRight[] {
  return [
    everywhere('', ['nodes'], ['get', 'patch', 'delete'], 'cordons and removes replaced nodes'),
    everywhere('', ['pods'], ['list'], 'what runs on a node that leaves'),
    everywhere('', ['pods/eviction'], ['create'], 'drains it'),
  ];
}

/** Names follow the content of the Leader Migration file. Who may create DaemonSets here may run anything on each node. */
function daemonSetRights({ ccm, lock, strategy }: MigrationPolicy): readonly WorkerRight[] {
  const why = 'the CCM as DaemonSet';
  const file = compileLeaderMigration({ manager: 'ccm', version: ccm.version, lock });
  const names = [migrationConfigMapName(file)];
  return [
    everywhere('', ['nodes'], ['get', 'patch'], 'the label that starts the CCM on a node'),
    right(SYSTEM, 'apps', ['daemonsets'], ['create'], why),
    right(SYSTEM, 'apps', ['daemonsets'], ['get', 'update', 'delete'], why, [COMPONENTS.ccm]),
    right(SYSTEM, '', ['pods'], ['delete'], 'pods of an older template'),
    ...(strategy === 'gap'
      ? []
      : [right(SYSTEM, '', ['configmaps'], ['get', 'delete'], 'its Leader Migration file', names)]),
  ];
}

function probeRights(): readonly WorkerRight[] {
  const { namespace, name } = PROBE_SERVICE;
  const why = 'the probe of load balancers';
  return [
    right(namespace, '', ['services'], ['create'], why),
    right(namespace, '', ['services'], ['get', 'patch', 'delete'], why, [name]),
    right(namespace, '', ['events'], ['list'], why),
  ];
}

/**
 * To create access, and only access that the worker has itself: `escalate` would let it grant anything. `bind` is needed for
 * the two roles of Kubernetes that the CCM is bound to.
 * Source: kubernetes/kubernetes pkg/registry/rbac/escalation_check.go.
 */
function grantedRights(granted: readonly AccessObject[]): readonly WorkerRight[] {
  const own = new Set(granted.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  return [
    ...granted.flatMap(objectRights),
    ...granted.flatMap(({ roleRef, metadata }): readonly WorkerRight[] => {
      if (roleRef === undefined || own.has(`${roleRef.kind} ${roleRef.name}`)) return [];
      const place = metadata.namespace ?? null;
      const roles = PLURALS[roleRef.kind === 'Role' ? 'Role' : 'ClusterRole'];
      return [right(place, RBAC, [roles], ['bind'], 'role of Kubernetes', [roleRef.name])];
    }),
    ...granted.flatMap(({ rules = [], metadata }) =>
      rules.map((one): WorkerRight => {
        return {
          ...one,
          namespace: metadata.namespace ?? null,
          why: 'only who has it may grant it',
        };
      }),
    ),
  ];
}

function objectRights({ apiVersion, kind, metadata }: AccessObject): readonly WorkerRight[] {
  const { name, namespace = null } = metadata;
  const group = apiVersion === 'v1' ? '' : RBAC;
  const why = 'access that runs create and remove';
  // An account has no content of its own, so it is never replaced.
  const verbs = kind === 'ServiceAccount' ? ['get', 'delete'] : ['get', 'update', 'delete'];
  return [
    right(namespace, group, [PLURALS[kind]], ['create'], why),
    right(namespace, group, [PLURALS[kind]], verbs, why, [name]),
  ];
}

const PLURALS: Readonly<Record<AccessObject['kind'], string>> = {
  ServiceAccount: 'serviceaccounts',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
};

function besideRights(
  { nodeAccess, machines, balancers, ssh }: WorkerNeeds['beside'],
  { rollWorkers, staleHolder }: MigrationPolicy,
  replaces: boolean,
): readonly WorkerRight[] {
  const own = 'ccm-migrate.dev';
  const orders = replaces ? ['get', 'update', 'delete'] : ['get'];
  const acts = rollWorkers.enabled || staleHolder === 'kill' ? ['create'] : [];
  const changes = ['get', 'update', 'delete', ...acts];
  return [
    ...(nodeAccess ? [everywhere('', ['nodes/proxy'], changes, 'node access: root on nodes')] : []),
    ...(machines ? [everywhere(own, ['machines'], orders, 'machines API')] : []),
    ...(balancers ? [everywhere(own, ['loadbalancers'], ['get'], 'cloud API')] : []),
    ...(ssh ? [everywhere('', ['nodes'], ['get'], 'their addresses, for SSH'), PAGES] : []),
  ];
}

const PAGES: WorkerRight = {
  ...{ namespace: null, apiGroups: [], resources: [], nonResourceURLs: ['/metrics'] },
  ...{ verbs: ['get'], why: 'elections and metrics, as the managers report them' },
};

function everywhere(
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  why: string,
): WorkerRight {
  return right(null, group, resources, verbs, why);
}

function right(
  namespace: string | null,
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  why: string,
  names: readonly string[] = [],
): WorkerRight {
  const resourceNames = names.length === 0 ? {} : { resourceNames: names };
  return { namespace, apiGroups: [group], resources, ...resourceNames, verbs, why };
}
