import { leaseGrantObjects } from '../../../../domain/access/access-objects.js';
import { policyOf } from '../../../support/cluster-builder.js';
import type { User } from '../exchange.js';
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  LEASES,
  NODES,
  PODS,
  ROLES,
  ROLE_BINDINGS,
  made,
  named,
  watched,
  type AnyObject,
  type Scenario,
} from './scenario.js';

const READER: User = { user: 'corpus-reader', groups: [] };
const ACCOUNT: User = { user: 'system:serviceaccount:kube-system:corpus-account', groups: [] };
const GRANTOR: User = { user: 'corpus-grantor', groups: ['corpus-grantors'] };
const RBAC = 'rbac.authorization.k8s.io';

function roleFor(
  name: string,
  { user, groups }: User,
  rules: readonly object[],
): readonly AnyObject[] {
  const [group] = groups;
  const subject =
    group === undefined ? { kind: 'User', name: user } : { kind: 'Group', name: group };
  return [
    made(ROLES, name, { rules }),
    made(ROLE_BINDINGS, name, {
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects: [{ apiGroup: RBAC, ...subject }],
    }),
  ];
}

const GIVEN: readonly AnyObject[] = [
  ...roleFor('corpus-reader', READER, [
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['get', 'list'],
      resourceNames: ['corpus-allowed'],
    },
    { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  ]),
  ...roleFor('corpus-grantor', GRANTOR, [
    {
      apiGroups: [RBAC],
      resources: ['roles', 'rolebindings'],
      verbs: ['create', 'update', 'patch', 'get'],
    },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  ]),
];

/** The responses to a credential with too little access, for every verb of the product. */
export const FORBIDDEN_SCENARIO: Scenario = {
  name: 'forbidden',
  about:
    'Every verb of the product with a user, a service account and a group that may do little of it.',
  async play(environment) {
    for (const object of GIVEN)
      await environment.must(`give ${object.kind ?? ''}`, (api) => api.create(object));
    await environment.must('a Lease', (api) =>
      api.create(made(LEASES, 'corpus-allowed', { spec: {} })),
    );
    for (const user of [READER, ACCOUNT]) {
      await environment.call('version', (api) => api.serverVersion(), user);
      await environment.call('get', (api) => api.get(named(LEASES, 'corpus-allowed')), user);
      await environment.call('get another', (api) => api.get(named(LEASES, 'corpus-other')), user);
      await environment.call('list', (api) => api.list(LEASES), user);
      await environment.call(
        'list by name',
        (api) => api.list(LEASES, { fieldSelector: 'metadata.name=corpus-allowed' }),
        user,
      );
      await environment.call(
        'list everywhere',
        (api) => api.list({ apiVersion: 'v1', kind: 'Service' }),
        user,
      );
      await environment.call('list Nodes', (api) => api.list(NODES), user);
      await environment.call(
        'watch',
        (api) => watched(api, CONFIG_MAPS, { resourceVersion: '0', timeoutSeconds: 1 }),
        user,
      );
      await environment.call('create', (api) => api.create(made(CONFIG_MAPS, 'corpus-new')), user);
      await environment.call(
        'dry run',
        (api) => api.create(made(CONFIG_MAPS, 'corpus-new'), { dryRun: true }),
        user,
      );
      await environment.call('replace', (api) => api.replace(made(LEASES, 'corpus-allowed')), user);
      await environment.call(
        'patch',
        (api) => api.mergePatch(named(NODES, 'corpus-node'), {}),
        user,
      );
      await environment.call('remove', (api) => api.remove(named(ROLES, 'corpus-reader')), user);
      await environment.call(
        'remove wide',
        (api) => api.remove(named(CLUSTER_ROLES, 'cluster-admin')),
        user,
      );
      await environment.call(
        'evict',
        (api) => api.evict({ namespace: 'default', name: 'corpus-pod' }),
        user,
      );
      await environment.call(
        'evict where allowed',
        (api) => api.evict({ namespace: 'kube-system', name: 'corpus-pod' }),
        user,
      );
      await environment.call(
        'ask for another',
        (api) =>
          api.create({
            ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' },
            spec: { user: 'x', resourceAttributes: { resource: 'pods', verb: 'get' } },
          }),
        user,
      );
      await environment.call(
        'ask for itself',
        (api) =>
          api.create({
            ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
            spec: {
              resourceAttributes: { resource: 'pods', verb: 'get', namespace: 'kube-system' },
            },
          }),
        user,
      );
      await environment.send({ method: 'GET', path: '/metrics', as: user });
      await environment.send({ method: 'GET', path: '/apis/corpus.example/v1/things', as: user });
      await environment.send({
        method: 'PATCH',
        path: '/api/v1/nodes/corpus-node/status',
        body: {},
        contentType: 'application/merge-patch+json',
        as: user,
      });
    }
    await environment.send({ method: 'GET', path: '/api/v1/nodes', token: 'never-issued' });
    for (const object of GIVEN) {
      const { metadata, apiVersion = '', kind = '' } = object;
      const ref = { apiVersion, kind, namespace: 'kube-system', name: metadata?.name ?? '' };
      await environment.must(`take away ${kind}`, (api) => api.remove(ref).then(() => true));
    }
    await environment.must('remove the Lease', (api) =>
      api.remove(named(LEASES, 'corpus-allowed')).then(() => true),
    );
  },
};

/** RBAC escalation: no user grants what they do not have. */
export const ESCALATION_SCENARIO: Scenario = {
  name: 'escalation',
  about: 'A user who may write Roles and bindings, but lacks the rights that they grant.',
  async play(environment) {
    for (const object of GIVEN)
      await environment.must(`give ${object.kind ?? ''}`, (api) => api.create(object));
    const [role, binding] = leaseGrantObjects(policyOf().lock);
    await environment.call('grant what it lacks', (api) => api.create(role), GRANTOR);
    const held = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] }];
    await environment.call(
      'grant what it has',
      (api) => api.create(made(ROLES, 'corpus-held', { rules: held })),
      GRANTOR,
    );
    await environment.call('bind what is not there', (api) => api.create(binding), GRANTOR);
    await environment.must('make the Role', (api) => api.create(role));
    await environment.call('bind what it lacks', (api) => api.create(binding), GRANTOR);
    await environment.call(
      'grant more',
      (api) =>
        api.mergePatch(named(ROLES, 'corpus-held'), {
          rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
        }),
      GRANTOR,
    );
    for (const name of [role.metadata.name, 'corpus-held', 'corpus-reader', 'corpus-grantor']) {
      await environment.call(`remove Role ${name}`, (api) => api.remove(named(ROLES, name)));
    }
    for (const name of ['corpus-reader', 'corpus-grantor']) {
      await environment.call(`remove binding ${name}`, (api) =>
        api.remove(named(ROLE_BINDINGS, name)),
      );
    }
    await environment.call(
      'a Pod list at the end',
      (api) => api.list(PODS, { labelSelector: 'corpus-app=web' }),
      GRANTOR,
    );
  },
};
