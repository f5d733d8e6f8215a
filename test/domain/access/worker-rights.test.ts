import { describe, expect, it } from '@jest/globals';
import { ccmAccessObjects, leaseGrantObjects } from '../../../domain/access/access-objects.js';
import { minimalRights } from '../../../domain/access/minimal-rights.js';
import { type WorkerNeeds, workerRights } from '../../../domain/access/worker-rights.js';
import { type WorkerRight, workerRoles } from '../../../domain/access/worker-role.js';
import {
  compileLeaderMigration,
  migrationConfigMapName,
} from '../../../domain/managers/compile-leader-migration.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import { policyOf } from '../../support/cluster-builder.js';

const LEASES = 'coordination.k8s.io';
const NOTHING_BESIDE = { nodeAccess: false, machines: false, balancers: false, ssh: false };
const LOCK = 'cloud-provider-extraction-migration';

const MIGRATION_FILE = migrationConfigMapName(
  compileLeaderMigration({
    ...{ manager: 'ccm', version: policyOf().ccm.version, lock: policyOf().lock },
  }),
);

/** `verb resource name namespace` of each single right. */
function wordsOf(rights: readonly WorkerRight[]): readonly string[] {
  return rights.flatMap(({ namespace, resources, resourceNames = [''], verbs }) =>
    resources.flatMap((resource) =>
      resourceNames.flatMap((name) =>
        verbs.map((verb) =>
          [verb, resource, name, namespace ?? ''].filter((word) => word !== '').join(' '),
        ),
      ),
    ),
  );
}

function rightsOf(
  policy: Partial<MigrationPolicy>,
  needs: Partial<WorkerNeeds> = {},
): readonly string[] {
  return wordsOf(
    workerRights({
      ...{ policy: policyOf(policy), access: [], beside: NOTHING_BESIDE },
      ...needs,
    }),
  );
}

const IN_PLACE: Partial<MigrationPolicy> = { nodes: { forward: 'inPlace', rollback: 'inPlace' } };

/** What a policy adds to nodes that change in place, with access that is provided. */
const ADDED: readonly (readonly [string, Partial<MigrationPolicy>, readonly string[]])[] = [
  [
    'machines that are replaced',
    { nodes: { forward: 'inPlace', rollback: 'replace' } },
    ['list pods', 'get nodes', 'patch nodes', 'delete nodes', 'create pods/eviction'],
  ],
  ['workers that are rolled', { rollWorkers: { enabled: true, batchSize: 1 } }, ['get nodes']],
  [
    'a lock that is removed',
    { leaderMigrationAfterRollback: 'off' },
    [`delete leases ${LOCK} kube-system`],
  ],
  [
    'gates on objects',
    { metricGates: { ...policyOf().metricGates, objects: 'watch' } as never },
    ['list events'],
  ],
  [
    'probes',
    { probes: { balancer: { annotations: {}, withinMs: 1000 } } },
    [
      'create services ccm-migrate-probe',
      'get services balancer ccm-migrate-probe',
      'patch services balancer ccm-migrate-probe',
      'delete services balancer ccm-migrate-probe',
      'list events ccm-migrate-probe',
    ],
  ],
  [
    'a CCM as DaemonSet',
    { ccm: { ...policyOf().ccm, deployAs: 'daemonSet' } },
    [
      'get nodes',
      'patch nodes',
      'create daemonsets kube-system',
      'get daemonsets cloud-controller-manager kube-system',
      'update daemonsets cloud-controller-manager kube-system',
      'delete daemonsets cloud-controller-manager kube-system',
      'delete pods kube-system',
      `get configmaps ${MIGRATION_FILE} kube-system`,
      `delete configmaps ${MIGRATION_FILE} kube-system`,
    ],
  ],
];

describe('the rights of a worker', () => {
  it('never include escalate, a wildcard, or a Secret', () => {
    const policy = policyOf();
    const access = [
      ...leaseGrantObjects(policy.lock),
      ...ccmAccessObjects({
        mainLock: { namespace: 'kube-system', name: 'cloud-controller-manager' },
        serviceAccountCredentials: true,
      }),
    ];
    const all = rightsOf(
      {},
      { access, beside: { nodeAccess: true, machines: true, balancers: true, ssh: false } },
    );
    expect(all.filter((one) => /escalate|impersonate|\*|secrets/.test(one))).toEqual([]);
    expect(all.filter((one) => one.startsWith('bind'))).toEqual([
      'bind clusterroles system:auth-delegator',
      'bind roles extension-apiserver-authentication-reader kube-system',
    ]);
  });

  it('write no RBAC object where access is provided, and nothing but a fence, a baseline and kubeadm-config', () => {
    const reads = /^(get|list|watch) /;
    expect(rightsOf(IN_PLACE).filter((one) => !reads.test(one))).toEqual([
      'create subjectaccessreviews',
      'create leases kube-system',
      'update leases ccm-migrate kube-system',
      'patch leases ccm-migrate kube-system',
      'patch leases kube-controller-manager kube-system',
      'patch leases cloud-controller-manager kube-system',
      `patch leases ${LOCK} kube-system`,
      'create configmaps kube-system',
      'patch configmaps kubeadm-config kube-system',
    ]);
  });

  it.each(ADDED)('grow with the policy: %s', (_name, policy, added) => {
    const before = rightsOf(IN_PLACE);
    const after = rightsOf({ ...IN_PLACE, ...policy });
    expect(after.filter((one) => !before.includes(one))).toEqual(
      expect.arrayContaining([...added]),
    );
    expect(after.filter((one) => !before.includes(one))).toHaveLength(added.length);
  });

  it('list roles wherever the managers have access', () => {
    const role = {
      ...leaseGrantObjects(policyOf().lock)[0],
      metadata: { name: 'x', namespace: 'acme', labels: {} },
    };
    const all = rightsOf({ ...IN_PLACE, clusterAccess: 'provided' }, { access: [role] });
    expect(all).toEqual(expect.arrayContaining(['list roles acme', 'list rolebindings acme']));
    expect(all).not.toContain('create roles acme');
  });

  it('without a lock none of a migration Lease', () => {
    const daemonSet = { ccm: { ...policyOf().ccm, deployAs: 'daemonSet' } } as const;
    const gap = rightsOf({
      ...IN_PLACE,
      ...daemonSet,
      strategy: 'gap',
      disableLeaderMigration: 'afterSoak',
    });
    expect(gap.filter((one) => one.includes(LOCK) || one.includes('ccm-leader-migration'))).toEqual(
      [],
    );
  });

  it('follow a lock to its namespace', () => {
    const lock = { ...policyOf().lock, namespace: 'locks' };
    const all = rightsOf({ ...IN_PLACE, lock });
    expect(all).toEqual(
      expect.arrayContaining([`patch leases ${LOCK} locks`, 'list leases locks']),
    );
    expect(all).toEqual(expect.arrayContaining(['list roles locks', 'list roles kube-system']));
    expect(all).toContain('patch leases cloud-controller-manager locks');
    expect(all).not.toContain('patch leases cloud-controller-manager kube-system');
  });

  it('beside the API server end at what its services ask for', () => {
    const beside = { nodeAccess: true, machines: true, balancers: true, ssh: false };
    const before = rightsOf(IN_PLACE);
    const added = (policy: Partial<MigrationPolicy>): readonly string[] =>
      rightsOf(policy, { beside }).filter((one) => !before.includes(one));
    const always = ['get nodes/proxy', 'update nodes/proxy', 'delete nodes/proxy'];
    expect(added(IN_PLACE)).toEqual([...always, 'get machines', 'get loadbalancers']);
    expect(added({ ...IN_PLACE, staleHolder: 'kill' })).toContain('create nodes/proxy');
    expect(added({ nodes: { forward: 'replace', rollback: 'replace' } })).toEqual(
      expect.arrayContaining(['update machines', 'delete machines']),
    );
  });
});

describe('rights with none twice', () => {
  const right = (changes: Partial<WorkerRight>): WorkerRight => ({
    ...{ namespace: 'a', apiGroups: [LEASES], resources: ['leases'], verbs: ['get'], why: '' },
    ...changes,
  });
  const cases: readonly (readonly [string, readonly WorkerRight[], readonly string[]])[] = [
    ['the first of two equal ones stays', [right({}), right({})], ['get leases a']],
    [
      'the whole cluster covers a namespace',
      [right({ verbs: ['get', 'list'] }), right({ namespace: null })],
      ['list leases a', 'get leases'],
    ],
    [
      'all objects cover one of them, in any order',
      [right({ resourceNames: ['x', 'y'], verbs: ['get', 'patch'] }), right({})],
      ['patch leases x a', 'patch leases y a', 'get leases a'],
    ],
    [
      'a name covers no collection, nor a namespace another',
      [
        right({ resourceNames: ['x'] }),
        right({ namespace: 'b' }),
        right({ namespace: null, resourceNames: ['y'] }),
      ],
      ['get leases x a', 'get leases b', 'get leases y'],
    ],
    [
      'another group, resource or verb is another right',
      [
        right({}),
        right({ apiGroups: [''] }),
        right({ resources: ['pods'] }),
        right({ verbs: ['list'] }),
      ],
      ['get leases a', 'get leases a', 'get pods a', 'list leases a'],
    ],
  ];
  it.each(cases)('%s', (_name, rights, expected) => {
    expect(wordsOf(minimalRights(rights))).toEqual(expected);
  });
});

describe('roles of a worker', () => {
  it('read addresses of nodes and pages of managers where the user itself asks for them', () => {
    const beside = { ...NOTHING_BESIDE, ssh: true };
    const [role] = workerRoles(workerRights({ policy: policyOf(), access: [], beside }), 'w');
    expect(wordsOf(workerRights({ policy: policyOf(), access: [], beside }))).toContain(
      'get nodes',
    );
    expect(role?.role.rules.at(-1)).toEqual({ nonResourceURLs: ['/metrics'], verbs: ['get'] });
  });

  it('are one for the cluster and one for each namespace, bound to the user, without the label of what runs create', () => {
    const rights = workerRights({ policy: policyOf(), access: [], beside: NOTHING_BESIDE });
    const roles = workerRoles(rights, 'worker@prod');
    expect(roles.map(({ role }) => [role.kind, role.metadata])).toEqual([
      ['ClusterRole', { name: 'ccm-migrate' }],
      ['Role', { name: 'ccm-migrate', namespace: 'kube-system' }],
    ]);
    expect(roles.map(({ binding }) => [binding.kind, binding.roleRef.kind])).toEqual([
      ['ClusterRoleBinding', 'ClusterRole'],
      ['RoleBinding', 'Role'],
    ]);
    expect(roles.map(({ binding }) => binding.subjects.map(({ name }) => name))).toEqual([
      ['worker@prod'],
      ['worker@prod'],
    ]);
    for (const { role, whys } of roles) expect(whys).toHaveLength(role.rules.length);
    const named = roles.flatMap(({ role }) => role.rules).filter((one) => 'resourceNames' in one);
    expect(named.length).toBeGreaterThan(5);
  });
});
