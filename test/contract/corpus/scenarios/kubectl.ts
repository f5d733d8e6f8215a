import { CONFIG_MAPS, made, named, type Scenario } from './scenario.js';

const MAPS = '/api/v1/namespaces/kube-system/configmaps';
const SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

const SET = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'corpus-set', labels: { keep: 'yes' } },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: {
        nodeSelector: { 'corpus-run': 'true' },
        containers: [
          { name: 'a', image: 'a:1', env: [{ name: 'E', value: '1' }] },
          { name: 'b', image: 'b:1' },
        ],
        tolerations: [{ key: 'old', operator: 'Exists' }],
      },
    },
  },
};

/** What operators do beside the product, with kubectl: strategic patches. */
export const STRATEGIC_SCENARIO: Scenario = {
  name: 'strategic-patches',
  about: 'Strategic merge patches as kubectl edit and kubectl label send them.',
  async play(environment) {
    await environment.send({ method: 'POST', path: SETS, body: SET });
    const patch = (body: unknown): Promise<unknown> =>
      environment.send({
        method: 'PATCH',
        path: `${SETS}/corpus-set`,
        body,
        contentType: STRATEGIC,
      });
    const inSpec = (spec: object): object => ({ spec: { template: { spec } } });
    await patch({ metadata: { labels: { keep: null, added: '1' } } });
    await patch(inSpec({ containers: [{ name: 'a', env: [{ name: 'F', value: '2' }] }] }));
    await patch(inSpec({ containers: [{ name: 'c', image: 'c:1' }] }));
    await patch(inSpec({ containers: [{ name: 'b', $patch: 'delete' }] }));
    await patch(inSpec({ tolerations: [{ key: 'new', operator: 'Exists' }] }));
    await patch(
      inSpec({
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
        containers: [{ name: 'c', image: 'c:2' }],
      }),
    );
    await patch({ metadata: { finalizers: ['corpus.example/a'] } });
    await patch({ metadata: { finalizers: ['corpus.example/b'] } });
    await patch({
      metadata: { '$deleteFromPrimitiveList/finalizers': ['corpus.example/a', 'corpus.example/b'] },
    });
    await patch(inSpec({ nonsense: 1 }));
    await patch(inSpec({ containers: [{ image: 'nameless' }] }));
    await environment.send({
      method: 'DELETE',
      path: `${SETS}/corpus-set?propagationPolicy=Background`,
    });
  },
};

/** Server-side apply, as GitOps tools use it. */
export const APPLY_SCENARIO: Scenario = {
  name: 'apply',
  about: 'Server-side apply: created, repeated, reduced, contested, forced, refused.',
  async play(environment) {
    const apply = (manager: string, data: object, more = ''): Promise<unknown> =>
      environment.send({
        method: 'PATCH',
        path: `${MAPS}/corpus-applied?fieldManager=${manager}${more}`,
        contentType: APPLY,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'corpus-applied' }, data },
      });
    await apply('one', { a: '1', b: '1', c: '1' });
    await apply('one', { a: '1', b: '1', c: '1' });
    await apply('two', { b: '1' });
    await apply('one', { a: '1' });
    await apply('two', { a: '2', b: '2' });
    await apply('two', { a: '2', b: '2' }, '&force=true');
    await apply('one', { a: '1' });
    await apply('three', { a: '3', b: '3' });
    await apply('three', { z: '3' }, '&dryRun=All');
    await environment.must('patch it', (api) =>
      api.mergePatch(named(CONFIG_MAPS, 'corpus-applied'), { data: { a: '9' } }),
    );
    await apply('two', { a: '2' });
    await environment.send({
      method: 'PATCH',
      path: `${MAPS}/corpus-applied`,
      contentType: APPLY,
      body: made(CONFIG_MAPS, 'corpus-applied'),
    });
    await environment.send({
      method: 'PATCH',
      path: `${MAPS}/corpus-applied?fieldManager=x`,
      contentType: APPLY,
      body: 'a: [',
    });
    await environment.send({
      method: 'PATCH',
      path: `${MAPS}/corpus-applied?fieldManager=x`,
      contentType: APPLY,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'corpus-other' } },
    });
    await environment.send({
      method: 'PATCH',
      path: `${MAPS}/corpus-applied?fieldManager=x`,
      contentType: APPLY,
      body: { kind: 'ConfigMap', metadata: { name: 'corpus-applied' } },
    });
    await environment.send({ method: 'DELETE', path: `${MAPS}/corpus-applied` });
  },
};
