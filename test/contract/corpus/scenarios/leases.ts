import {
  CONFIG_MAPS,
  LEASES,
  NO_UID,
  ROLES,
  made,
  named,
  uidOf,
  versionOf,
  type Scenario,
} from './scenario.js';

const NOW = '2026-11-21T10:00:00.000000Z';
const SPEC = {
  holderIdentity: 'cp-1_8e5a9d0e-0000-4000-8000-000000000001',
  leaseDurationSeconds: 15,
  acquireTime: NOW,
  renewTime: NOW,
  leaseTransitions: 3,
};

/** A manager's Lease: what client-go writes, and what we write when its holder is proven dead. */
export const LEASE_SCENARIO: Scenario = {
  name: 'leases',
  about:
    "A manager's Lease is emptied after proof, with every refusal on the way, and written as client-go does.",
  async play(environment) {
    const lease = made(LEASES, 'corpus-main', { spec: SPEC });
    const ref = named(LEASES, 'corpus-main');
    const first = await environment.must('create', (api) => api.create(lease));
    const release = (resourceVersion: string): object => ({
      metadata: { resourceVersion, annotations: { 'ccm-migrate.dev/released': 'run-1 1 7' } },
      spec: { holderIdentity: '', leaseDurationSeconds: 1, renewTime: NOW, acquireTime: NOW },
    });
    await environment.must('empty', (api) => api.mergePatch(ref, release(versionOf(first))));
    await environment.call('empty an older version', (api) =>
      api.mergePatch(ref, release(versionOf(first))),
    );
    await environment.call('empty one of another uid', (api) =>
      api.mergePatch(ref, { metadata: { uid: NO_UID }, spec: { holderIdentity: '' } }),
    );
    await environment.must('change nothing', (api) =>
      api.mergePatch(ref, { spec: { holderIdentity: '' } }),
    );
    await environment.must('take the holder away', (api) =>
      api.mergePatch(ref, { spec: { holderIdentity: null, renewTime: null } }),
    );
    const now = await environment.must('read', async (api) => (await api.get(ref))?.object ?? null);
    await environment.call('replace without a version', (api) => api.replace(lease));
    await environment.must('replace', (api) =>
      api.replace(
        made(LEASES, 'corpus-main', { metadata: { resourceVersion: versionOf(now) }, spec: SPEC }),
      ),
    );
    await environment.call('replace one of another uid', (api) =>
      api.replace(made(LEASES, 'corpus-main', { metadata: { uid: NO_UID }, spec: SPEC })),
    );
    await environment.call('set a duration of nothing', (api) =>
      api.mergePatch(ref, { spec: { leaseDurationSeconds: 0 } }),
    );
    await environment.call('set negative transitions and no duration', (api) =>
      api.mergePatch(ref, { spec: { leaseDurationSeconds: -1, leaseTransitions: -1 } }),
    );
    await environment.call('set an invalid time', (api) =>
      api.mergePatch(ref, { spec: { renewTime: 'soon' } }),
    );
    await environment.call('set a time of seconds', (api) =>
      api.mergePatch(ref, { spec: { renewTime: '2026-11-21T10:00:00Z' } }),
    );
    await environment.call('set a duration that is a string', (api) =>
      api.mergePatch(ref, { spec: { leaseDurationSeconds: '15' } }),
    );
    await environment.call('set what no Lease has', (api) =>
      api.mergePatch(ref, { spec: { nonsense: 1 } }),
    );
    await environment.call('create with what no Lease has', (api) =>
      api.create(made(LEASES, 'corpus-strict', { spec: { ...SPEC, nonsense: 1 }, more: true })),
    );
    await environment.call('create with a version', (api) =>
      api.create(
        made(LEASES, 'corpus-versioned', { metadata: { resourceVersion: '7' }, spec: SPEC }),
      ),
    );
    await environment.call('patch an absent one', (api) =>
      api.mergePatch(named(LEASES, 'corpus-absent'), { spec: { holderIdentity: '' } }),
    );
    await environment.call('replace an absent one', (api) =>
      api.replace(made(LEASES, 'corpus-by-replace', { spec: SPEC })),
    );
    await environment.call('replace an absent one of a version', (api) =>
      api.replace(made(LEASES, 'corpus-gone', { metadata: { resourceVersion: versionOf(first) } })),
    );
    await environment.call('replace an absent one of a uid', (api) =>
      api.replace(made(LEASES, 'corpus-gone', { metadata: { uid: uidOf(first) } })),
    );
    await environment.call('dry run of a removal', (api) => api.get(ref));
    await environment.send({ method: 'DELETE', path: `${PATH}/corpus-main?dryRun=All` });
    await environment.must('remove the object that was read', (api) =>
      api.remove(ref, { uid: uidOf(first) }).then(() => true),
    );
    await environment.must('remove the other', (api) =>
      api.remove(named(LEASES, 'corpus-by-replace')).then(() => true),
    );
    await environment.must('list', (api) => api.list(LEASES));
  },
};

const PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

/** Dry runs return the result and change nothing. */
export const DRY_RUN_SCENARIO: Scenario = {
  name: 'dry-runs',
  about: 'Dry runs of creating a new and an existing object, of replacing and of removing it.',
  async play(environment) {
    const map = made(CONFIG_MAPS, 'corpus-dry', { data: { a: '1' } });
    const ref = named(CONFIG_MAPS, 'corpus-dry');
    await environment.must('dry run of a create', (api) => api.create(map, { dryRun: true }));
    await environment.call('read what was not made', (api) => api.get(ref));
    const first = await environment.must('create', (api) => api.create(map));
    await environment.call('dry run of one that is there', (api) =>
      api.create(map, { dryRun: true }),
    );
    await environment.call('dry run of a bad one', (api) =>
      api.create(made(CONFIG_MAPS, 'Not_Good'), { dryRun: true }),
    );
    const path = '/api/v1/namespaces/kube-system/configmaps/corpus-dry';
    await environment.send({
      method: 'PUT',
      path: `${path}?dryRun=All`,
      body: made(CONFIG_MAPS, 'corpus-dry', { data: { a: '2' } }),
    });
    await environment.send({
      method: 'PATCH',
      path: `${path}?dryRun=All`,
      contentType: 'application/merge-patch+json',
      body: { data: { b: '2' } },
    });
    await environment.send({ method: 'DELETE', path: `${path}?dryRun=All` });
    await environment.send({ method: 'DELETE', path: `${path}?dryRun=Some` });
    await environment.must('read', (api) => api.get(ref));
    await environment.must('dry run of a Role', (api) =>
      api.create(made(ROLES, 'corpus-dry', { rules: [] }), { dryRun: true }),
    );
    await environment.must('remove', (api) =>
      api.remove(ref, { uid: uidOf(first) }).then(() => true),
    );
  },
};
