import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, put, type ApiEnvironment } from './bare-cluster.js';
import { clientOf } from './https-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const KCM = 'system:kube-controller-manager';
const RBAC = 'rbac.authorization.k8s.io/v1';

let environment: ApiEnvironment;
beforeAll(async () => {
  environment = await openApiEnvironment({ credential: 'clientCertificate' });
  put(environment.cluster.store, 'roles', {
    apiVersion: RBAC,
    kind: 'Role',
    metadata: { name: 'locks', namespace: 'kube-system' },
    rules: [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['shared'],
        verbs: ['get', 'update', 'list'],
      },
    ],
  });
  put(environment.cluster.store, 'rolebindings', {
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { name: 'locks', namespace: 'kube-system' },
    roleRef: { kind: 'Role', name: 'locks' },
    subjects: [
      { kind: 'User', name: KCM },
      { kind: 'ServiceAccount', name: 'ccm', namespace: 'kube-system' },
    ],
  });
  put(environment.cluster.store, 'clusterroles', {
    apiVersion: RBAC,
    kind: 'ClusterRole',
    metadata: { name: 'reviewer' },
    rules: [
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['subjectaccessreviews'],
        verbs: ['create'],
      },
      { apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs: ['*'] },
    ],
  });
  put(environment.cluster.store, 'clusterrolebindings', {
    apiVersion: RBAC,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'reviewer' },
    roleRef: { kind: 'ClusterRole', name: 'reviewer' },
    subjects: [{ kind: 'Group', name: 'reviewers' }],
  });
});
afterAll(async () => environment.end());

function lease(name: string): object {
  return { metadata: { name }, spec: { holderIdentity: 'x', leaseDurationSeconds: 15 } };
}

describe('authentication', () => {
  it.each([
    ['no credential', {}],
    ['an unknown token', { authorization: 'Bearer unknown' }],
  ])('the API server answers 401 to a client with %s', async (_name, headers) => {
    const config = JSON.parse(
      environment.simulator.kubeconfigFor('alpha', { user: 'x', groups: [] }),
    );
    delete config.users[0].user['client-certificate-data'];
    delete config.users[0].user['client-key-data'];
    const nobody = clientOf(JSON.stringify(config));
    const { status, json } = await nobody.call('GET', '/version', { headers });
    expect([status, json.reason]).toEqual([401, 'Unauthorized']);
  });

  it("a client that does not know the simulator's authority refuses to connect", async () => {
    const { hostname, port } = new URL(environment.simulator.url);
    const error = await new Promise((resolve) => {
      connect({ host: hostname, port: Number(port) }).once('error', resolve);
    });
    expect(error).toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' });
  });

  it('the API server refuses credentials of another cluster', async () => {
    const other = await openApiEnvironment({ credential: 'token' });
    const config = JSON.parse(other.simulator.kubeconfigFor('alpha', { user: 'x', groups: [] }));
    const here = JSON.parse(
      environment.simulator.kubeconfigFor('alpha', { user: 'x', groups: [] }),
    );
    const strange = clientOf(JSON.stringify({ ...config, clusters: here.clusters }));
    expect((await strange.call('GET', '/version')).status).toBe(401);
    await other.end();
  });

  it('the authority of one cluster trusts no other cluster', async () => {
    const config = JSON.parse(
      environment.simulator.kubeconfigFor('alpha', { user: 'x', groups: [] }),
    );
    config.clusters[0].cluster.server = `${environment.simulator.url}/clusters/beta`;
    expect((await clientOf(JSON.stringify(config)).call('GET', '/version')).status).toBe(404);
  });
});

describe('RBAC', () => {
  it('RBAC allows create without a name, and the named verbs on that name only', async () => {
    const kcm = environment.as(KCM);
    const codes = [];
    for (const name of ['shared', 'other']) {
      codes.push((await kcm.call('POST', LEASES, { body: lease(name) })).status);
      codes.push((await kcm.call('GET', `${LEASES}/${name}`)).status);
    }
    expect(codes).toEqual([201, 200, 201, 403]);
  });

  it('a refusal names the user, the verb, the resource and the namespace', async () => {
    const { status, json } = await environment.as(KCM).call('GET', `${LEASES}/other`);
    expect(status).toBe(403);
    expect(json).toMatchObject({
      reason: 'Forbidden',
      message:
        'leases.coordination.k8s.io "other" is forbidden: User "system:kube-controller-manager" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "kube-system"',
      details: { name: 'other', group: 'coordination.k8s.io', kind: 'leases' },
    });
  });

  it('RBAC takes the name of a list from its field selector, as RequestInfo does', async () => {
    const kcm = environment.as(KCM);
    const named = await kcm.call('GET', `${LEASES}?fieldSelector=metadata.name%3Dshared`);
    const whole = await kcm.call('GET', LEASES);
    expect([named.status, whole.status]).toEqual([200, 403]);
  });

  it('RBAC checks the subresource', async () => {
    const ana = environment.as('ana', ['reviewers']);
    const call = { contentType: 'application/merge-patch+json', body: {} };
    const status = await ana.call('PATCH', '/api/v1/nodes/cp-1/status', call);
    const pods = await ana.call('GET', '/api/v1/pods');
    expect([status.status, pods.status]).toEqual([200, 403]);
  });

  it('RBAC guards node access and machines too', async () => {
    const kcm = environment.as(KCM);
    const host = await kcm.call('GET', '/node-access/v2/nodes/cp-1/host');
    const machines = await kcm.call('GET', '/machines-api/v1/machines');
    const control = await kcm.call('GET', '/simulator/v1/truth');
    expect([host.status, machines.status, control.status]).toEqual([403, 403, 403]);
  });

  it("applies the same rules to the simulator's own actors", () => {
    const ref = { resource: 'leases', namespace: 'kube-system', name: 'shared' };
    const account = environment.cluster.store.asUser('system:serviceaccount:kube-system:ccm');
    const stranger = environment.cluster.store.asUser('system:serviceaccount:default:ccm');
    expect(account.get(ref).ok).toBe(true);
    expect(stranger.get(ref)).toMatchObject({ ok: false, code: 403, reason: 'Forbidden' });
  });
});

describe('granting', () => {
  const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles';
  const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings';
  const role = (name: string, verbs: readonly string[]): object => ({
    metadata: { name },
    rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }],
  });
  const binding = (name: string, to: string): object => ({
    metadata: { name },
    roleRef: { kind: 'Role', name: to },
    subjects: [{ kind: 'User', name: 'eve' }],
  });

  it('without escalate or bind a user grants no more than they have', async () => {
    grantTo('granter', [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings'],
        verbs: ['create', 'update'],
      },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] },
    ]);
    await environment.admin.call('POST', ROLES, { body: role('strong', ['delete']) });
    const granter = environment.as('granter');
    const codes = [];
    for (const [path, body] of [
      [ROLES, role('weak', ['get'])],
      [ROLES, role('more', ['get', 'delete'])],
      [BINDINGS, binding('to-weak', 'weak')],
      [BINDINGS, binding('to-strong', 'strong')],
      [BINDINGS, binding('to-nothing', 'nothing')],
    ] as const) {
      codes.push((await granter.call('POST', path, { body })).status);
    }
    expect(codes).toEqual([201, 403, 201, 403, 404]);
  });

  it('with escalate and bind a user grants more than they have', async () => {
    grantTo('grand', [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings'],
        verbs: ['create', 'escalate', 'bind'],
      },
    ]);
    const grand = environment.as('grand');
    const made = await grand.call('POST', ROLES, { body: role('grand', ['*']) });
    const bound = await grand.call('POST', BINDINGS, { body: binding('to-grand', 'grand') });
    expect([made.status, bound.status]).toEqual([201, 201]);
  });
});

function grantTo(user: string, rules: readonly object[]): void {
  const metadata = { name: `of-${user}`, namespace: 'kube-system' };
  put(environment.cluster.store, 'roles', { apiVersion: RBAC, kind: 'Role', metadata, rules });
  put(environment.cluster.store, 'rolebindings', {
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata,
    roleRef: { kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'User', name: user }],
  });
}

describe('access reviews', () => {
  const REVIEWS = '/apis/authorization.k8s.io/v1';
  const ask = (attributes: object): object => ({ resourceAttributes: attributes });
  const update = { verb: 'update', group: 'coordination.k8s.io', resource: 'leases' };

  it.each([
    ['the named lease', { ...update, namespace: 'kube-system', name: 'shared' }, true],
    ['another lease', { ...update, namespace: 'kube-system', name: 'other' }, false],
    ['leases without a name', { ...update, namespace: 'kube-system' }, false],
    ['create without a name', { ...update, verb: 'create', namespace: 'kube-system' }, true],
    ['another namespace', { ...update, namespace: 'default', name: 'shared' }, false],
  ])('access reviews report whether a user may use %s', async (_name, attributes, allowed) => {
    const { status, json } = await environment
      .as('ana', ['reviewers'])
      .call('POST', `${REVIEWS}/subjectaccessreviews`, {
        body: { spec: { user: KCM, ...ask(attributes) } },
      });
    expect(status).toBe(201);
    expect(json).toMatchObject({ kind: 'SubjectAccessReview', status: { allowed } });
  });

  it('reviews of oneself are open to all, reviews of others are not', async () => {
    const body = {
      spec: { user: 'ana', ...ask({ ...update, name: 'shared', namespace: 'kube-system' }) },
    };
    const kcm = environment.as(KCM);
    const self = await kcm.call('POST', `${REVIEWS}/selfsubjectaccessreviews`, { body });
    const other = await kcm.call('POST', `${REVIEWS}/subjectaccessreviews`, { body });
    expect(self.json.status).toMatchObject({ allowed: true });
    expect(other.status).toBe(403);
  });
});
