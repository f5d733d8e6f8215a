import { digestObject } from '../../../../activities/object-digest.js';
import { mayElectOn, readAccess } from '../../../../activities/observe/read-access.js';
import { NOT_READ } from '../../../../activities/observe/cached-reads.js';
import {
  type AccessObject,
  ccmAccessObjects,
  leaseGrantObjects,
} from '../../../../domain/access/access-objects.js';
import { ccmAccessReviews } from '../../../../domain/access/access-reviews.js';
import { policyOf } from '../../../support/cluster-builder.js';
import type { Environment } from '../environment.js';
import { CLUSTER_ROLES, ROLES, ROLE_BINDINGS, type Scenario, made, named } from './scenario.js';

const LOCK = policyOf().lock;
const NEEDS = {
  mainLock: { namespace: 'kube-system', name: 'cloud-controller-manager' },
  serviceAccountCredentials: true,
};
const OBJECTS: readonly AccessObject[] = [...leaseGrantObjects(LOCK), ...ccmAccessObjects(NEEDS)];

function refOf({ apiVersion, kind, metadata }: AccessObject): Parameters<typeof named>[0] {
  const { namespace } = metadata;
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) };
}

const says = (object: AccessObject): string => `${object.kind} ${object.metadata.name}`;

/** Every access object of ours, read back to the digest that identifies it. */
async function createAll(environment: Environment): Promise<void> {
  for (const object of OBJECTS) {
    const ref = named(refOf(object), object.metadata.name);
    await environment.call(`read absent ${says(object)}`, (api) => api.get(ref));
    await environment.must(`create ${says(object)}`, (api) => api.create(object));
    await environment.call(`${says(object)} reads as it was written`, async (api) => {
      const found = await api.get(ref);
      return (
        found !== null &&
        digestObject({ kind: object.kind, ...found.object }) === digestObject(object)
      );
    });
  }
}

/** The grants of a migration, and whether they can be relied on. */
export const ACCESS_SCENARIO: Scenario = {
  name: 'access-objects',
  about:
    'Grants on the migration Lease and the access of the CCM: created, observed, reviewed, changed, removed.',
  async play(environment) {
    const snapshot = (): Promise<unknown> =>
      environment.call('side by side: observe the access', (api) =>
        readAccess(api, policyOf(), NOT_READ, ['leaseGrant', 'ccmAccess'], {}).then(
          ({ access }) => ({
            access,
          }),
        ),
      );
    await snapshot();
    await environment.call('may a user elect before', (api) =>
      mayElectOn(api, 'system:cloud-controller-manager', LOCK, {}),
    );
    await createAll(environment);
    await snapshot();
    for (const user of ['system:cloud-controller-manager', 'system:kube-controller-manager']) {
      await environment.call(`may ${user} elect`, (api) => mayElectOn(api, user, LOCK, {}));
    }
    await environment.call('may the service account elect', (api) =>
      mayElectOn(api, 'system:serviceaccount:kube-system:cloud-controller-manager', LOCK, {}),
    );
    for (const spec of ccmAccessReviews('system:cloud-controller-manager', NEEDS)) {
      const { verb = '', resource = '', subresource = '' } = spec.resourceAttributes;
      await environment.call(`review ${verb} ${resource} ${subresource}`, (api) =>
        api.create({
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec,
        }),
      );
    }
    for (const object of OBJECTS) {
      const ref = named(refOf(object), object.metadata.name);
      await environment.must(`remove ${says(object)}`, (api) => api.remove(ref).then(() => true));
    }
  },
};

const RULES = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'corpus-role' };

/** How the API server treats roles and bindings that differ from ours. */
export const ROLES_SCENARIO: Scenario = {
  name: 'roles-and-bindings',
  about: 'Roles and bindings that are changed, incomplete, immutable or wrong.',
  async play(environment) {
    const role = made(ROLES, 'corpus-role', { rules: RULES });
    const binding = made(ROLE_BINDINGS, 'corpus-role', {
      roleRef: { kind: 'Role', name: 'corpus-role' },
      subjects: [
        { kind: 'User', name: 'someone' },
        { kind: 'ServiceAccount', name: 'some-account', namespace: 'kube-system' },
        { kind: 'Group', name: 'some-group' },
      ],
    });
    await environment.must('create a Role', (api) => api.create(role));
    await environment.must('replace its rules', (api) =>
      api.replace(made(ROLES, 'corpus-role', { rules: [...RULES, ...RULES] })),
    );
    await environment.must('replace it with itself', (api) =>
      api.replace(made(ROLES, 'corpus-role', { rules: [...RULES, ...RULES] })),
    );
    await environment.must('take its rules away', (api) =>
      api.mergePatch(named(ROLES, 'corpus-role'), { rules: null }),
    );
    await environment.must('create a Role without rules', (api) =>
      api.create(made(ROLES, 'corpus-empty')),
    );
    await environment.call('create one with a rule of nothing', (api) =>
      api.create(made(ROLES, 'corpus-wrong', { rules: [{ verbs: [] }] })),
    );
    await environment.call('create one with a path', (api) =>
      api.create(
        made(ROLES, 'corpus-wrong', { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }),
      ),
    );
    await environment.must('create a binding without groups', (api) => api.create(binding));
    await environment.call('bind it to another Role', (api) =>
      api.mergePatch(named(ROLE_BINDINGS, 'corpus-role'), {
        roleRef: { ...ROLE_REF, name: 'other' },
      }),
    );
    await environment.call('create a binding of nothing', (api) =>
      api.create(made(ROLE_BINDINGS, 'corpus-wrong')),
    );
    await environment.call('create a binding with half a subject', (api) =>
      api.create(
        made(ROLE_BINDINGS, 'corpus-wrong', {
          roleRef: ROLE_REF,
          subjects: [{ kind: 'ServiceAccount', name: 'x' }],
        }),
      ),
    );
    await environment.call('create a binding of an unknown kind of subject', (api) =>
      api.create(
        made(ROLE_BINDINGS, 'corpus-wrong', {
          roleRef: ROLE_REF,
          subjects: [{ kind: 'Robot', name: 'x' }],
        }),
      ),
    );
    await environment.must('create a binding to a Role that is not there', (api) =>
      api.create(
        made(ROLE_BINDINGS, 'corpus-dangling', {
          roleRef: { ...ROLE_REF, name: 'corpus-nothing' },
        }),
      ),
    );
    await environment.call('replace an absent Role', (api) =>
      api.replace(made(ROLES, 'corpus-by-replace', { rules: RULES })),
    );
    await environment.must('create a ClusterRole with a name of colons', (api) =>
      api.create(made(CLUSTER_ROLES, 'corpus-cluster:role', { rules: RULES })),
    );
    await environment.call('create a ClusterRole in a namespace', (api) =>
      api.create(
        made({ ...CLUSTER_ROLES }, 'corpus-placed', { metadata: { namespace: 'kube-system' } }),
      ),
    );
    await environment.call('create a Role with a name that cannot be in a path', (api) =>
      api.create(made(ROLES, 'corpus/slash', { rules: RULES })),
    );
    for (const name of ['corpus-role', 'corpus-empty', 'corpus-by-replace']) {
      await environment.call(`remove Role ${name}`, (api) => api.remove(named(ROLES, name)));
    }
    for (const name of ['corpus-role', 'corpus-dangling']) {
      await environment.call(`remove RoleBinding ${name}`, (api) =>
        api.remove(named(ROLE_BINDINGS, name)),
      );
    }
    await environment.must('remove the ClusterRole', (api) =>
      api.remove(named(CLUSTER_ROLES, 'corpus-cluster:role')).then(() => true),
    );
  },
};
