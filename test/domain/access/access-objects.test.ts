import { describe, expect, it } from '@jest/globals';
import type { AccessObject } from '../../../domain/access/access-objects.js';
import {
  ccmAccessObjects,
  leaseGrantObjects,
  managerSubjects,
  userOf,
} from '../../../domain/access/access-objects.js';
import {
  ccmAccessReviews,
  leaseReviews,
  showsGuidePatch,
} from '../../../domain/access/access-reviews.js';

const LOCK = { namespace: 'kube-system', name: 'cloud-provider-extraction-migration' };
const MAIN = { namespace: 'kube-system', name: 'cloud-controller-manager' };
const NEEDS = { mainLock: MAIN, serviceAccountCredentials: true };
const ACCOUNT = 'system:serviceaccount:kube-system:cloud-controller-manager';

const titles = (objects: readonly AccessObject[]): readonly string[] =>
  objects.map(({ kind, metadata: { namespace = '', name } }) => `${kind} ${namespace}/${name}`);

describe('lease grant', () => {
  it('the lease grant is a Role of our own with an unnamed create', () => {
    const [role, binding] = leaseGrantObjects(LOCK);
    expect(role).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: {
        name: 'ccm-migrate-leader-migration',
        namespace: 'kube-system',
        labels: { 'app.kubernetes.io/managed-by': 'ccm-migrate' },
      },
      rules: [
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          resourceNames: [LOCK.name],
          verbs: ['get', 'update'],
        },
      ],
    });
    expect(binding.roleRef?.name).toBe(role.metadata.name);
    expect(binding.subjects?.map(userOf)).toEqual([
      'system:kube-controller-manager',
      'system:serviceaccount:kube-system:kube-controller-manager',
      'system:cloud-controller-manager',
      ACCOUNT,
    ]);
  });

  it('the lease grant can be bound to other identities', () => {
    const [, binding] = leaseGrantObjects(LOCK, managerSubjects('ccm'));
    expect(binding.subjects).toHaveLength(2);
  });
});

describe('access of the CCM', () => {
  it('access of the CCM is complete and all ours: no role of Kubernetes itself is ever written', () => {
    const objects = ccmAccessObjects(NEEDS);
    expect(titles(objects)).toEqual([
      'ServiceAccount kube-system/cloud-controller-manager',
      'ClusterRole /ccm-migrate-cloud-controller-manager',
      'ClusterRoleBinding /ccm-migrate-cloud-controller-manager',
      'ClusterRoleBinding /ccm-migrate-cloud-controller-manager-delegation',
      'Role kube-system/ccm-migrate-cloud-controller-manager',
      'RoleBinding kube-system/ccm-migrate-cloud-controller-manager',
      'RoleBinding kube-system/ccm-migrate-cloud-controller-manager-authentication',
    ]);
    for (const { metadata } of [...objects, ...leaseGrantObjects(LOCK)]) {
      expect(metadata.name).not.toMatch(/^system:/);
      expect(metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'ccm-migrate' });
    }
  });

  it('access of the CCM has no unlimited right', () => {
    const rules = ccmAccessObjects(NEEDS).flatMap(({ rules: own = [] }) => own);
    expect(JSON.stringify(rules)).not.toContain('*');
    expect(rules.filter(({ resources }) => resources.includes('secrets'))).toEqual([]);
  });

  it('access of the CCM creates tokens only where each controller has its own account', () => {
    const lean = ccmAccessObjects({ ...NEEDS, serviceAccountCredentials: false, subjects: [] });
    expect(JSON.stringify(lean)).not.toContain('serviceaccounts/token');
    expect(JSON.stringify(ccmAccessObjects(NEEDS))).toContain('serviceaccounts/token');
  });
});

describe('reviews', () => {
  it('reviews check create without a name, as RBAC decides it', () => {
    expect(leaseReviews('system:kube-controller-manager', LOCK)).toEqual(
      [
        { verb: 'create' },
        { verb: 'get', name: LOCK.name },
        { verb: 'update', name: LOCK.name },
      ].map((asked) => ({
        user: 'system:kube-controller-manager',
        groups: ['system:authenticated'],
        resourceAttributes: {
          group: 'coordination.k8s.io',
          resource: 'leases',
          namespace: 'kube-system',
          ...asked,
        },
      })),
    );
  });

  it('reviews cover every right of the CCM', () => {
    const reviews = ccmAccessReviews(ACCOUNT, NEEDS);
    const asked = reviews.map(({ resourceAttributes: a }) =>
      [a['verb'], a['resource'], a['subresource'], a['name']].filter(Boolean).join(' '),
    );
    expect(asked).toEqual(
      expect.arrayContaining([
        'delete nodes',
        'patch nodes status',
        'patch services status',
        'create serviceaccounts token node-controller',
        'update leases cloud-controller-manager',
      ]),
    );
    expect(new Set(asked).size).toBe(asked.length - 3); // events exist in two groups
    expect(reviews[0]?.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:kube-system',
      'system:authenticated',
    ]);
  });
});

describe("the guide's patch", () => {
  it.each([
    ['by name with create', [LOCK.name], ['create', 'list', 'get', 'update'], true],
    ['ours', [LOCK.name], ['get', 'update'], false],
    ['the main lock', ['kube-controller-manager'], ['create'], false],
    ['no names', undefined, ['create'], false],
  ])(
    "the guide's patch is distinguished from other rules: %s, with names %s and verbs %s",
    (_, names, verbs, shows) => {
      const rule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs };
      const rules = [names === undefined ? rule : { ...rule, resourceNames: names }];
      expect(showsGuidePatch(rules, LOCK)).toBe(shows);
    },
  );
});
