import { CONFIG_MAPS, made, named, type Scenario } from './scenario.js';

const MAPS = '/api/v1/namespaces/kube-system/configmaps';
const STRICT = 'fieldManager=ccm-migrate&fieldValidation=Strict';
const TOO_LONG = 3 * 1024 * 1024;

const map = (rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'corpus-wrong' },
  ...rest,
});

/** Requests that a bug of ours would send, and some that only a person would. */
export const MALFORMED_SCENARIO: Scenario = {
  name: 'malformed',
  about: 'Bodies, names, kinds, media types, methods and paths that are wrong.',
  async play(environment) {
    const post = (body: unknown, query = STRICT, contentType?: string): Promise<unknown> =>
      environment.send({
        method: 'POST',
        path: `${MAPS}?${query}`,
        body,
        ...(contentType && { contentType }),
      });
    await post('{');
    await post('');
    await post('[]');
    await post('"text"');
    await post(map({ kind: 'Secret' }));
    await post(map({ apiVersion: 'v2' }));
    await post({ metadata: { name: 'corpus-kindless' } });
    await post(map({ metadata: { name: 'corpus-wrong', namespace: 'default' } }));
    await post(map({ metadata: {} }));
    await post(map({ metadata: { name: 'Not_Good' } }));
    await post(map({ metadata: { name: 'a'.repeat(254) } }));
    await post(map({ metadata: { name: 'corpus-wrong', labels: { a: 1 } } }));
    await post(map({ metadata: { name: 'corpus-wrong', annotations: [] } }));
    await post(map({ metadata: { name: 'corpus-wrong', labels: { 'a b': 'c d' } } }));
    await post(map({ metadata: { name: 'corpus-wrong', finalizers: ['no-domain'] } }));
    await post(map({ data: { 'not a key': 'x' } }));
    await post(map({ data: { a: 1 } }));
    await post(map({ nonsense: true, metadata: { name: 'corpus-wrong', more: 1 } }));
    await post(map({ nonsense: true }), 'fieldValidation=Warn&dryRun=All');
    await post(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"corpus-twice"},"data":{"a":"1","a":"2"}}',
    );
    await post(map(), 'fieldValidation=Sometimes');
    await post(map(), STRICT, 'text/plain');
    await post(map({ data: { a: 'x'.repeat(TOO_LONG) } }));
    await post(map({ data: { a: 'x'.repeat(1024 * 1024 + 1) } }));
    await environment.send({ method: 'GET', path: MAPS, accept: 'text/html' });
    await environment.send({ method: 'PUT', path: MAPS, body: map() });
    await environment.send({ method: 'PUT', path: `${MAPS}/corpus-other`, body: map() });
    await environment.send({ method: 'PUT', path: `${MAPS}/corpus-wrong`, body: map() });
    await environment.send({
      method: 'PATCH',
      path: MAPS,
      body: {},
      contentType: 'application/merge-patch+json',
    });
    await environment.send({ method: 'POST', path: `${MAPS}/corpus-wrong`, body: map() });
    await environment.send({ method: 'GET', path: '/api/v1/namespaces/kube-system/nonsense' });
    await environment.send({ method: 'GET', path: '/apis/corpus.example/v1/things/x' });
    await environment.send({ method: 'GET', path: `${MAPS}/corpus-wrong/status` });
    await environment.send({ method: 'GET', path: '/nonsense' });
    await environment.send({
      method: 'POST',
      path: '/api/v1/namespaces/corpus-nowhere/configmaps',
      body: map(),
    });
    await environment.send({ method: 'POST', path: '/api/v1/configmaps', body: map() });
    await environment.send({ method: 'DELETE', path: '/api/v1/namespaces/kube-system' });
    await environment.send({ method: 'GET', path: '/readyz' });
    await environment.call('version', (api) => api.serverVersion());
    await patches(environment);
  },
};

async function patches(environment: Parameters<Scenario['play']>[0]): Promise<void> {
  const path = `${MAPS}/corpus-patched?fieldManager=ccm-migrate&fieldValidation=Strict`;
  await environment.must('create one to patch', (api) =>
    api.create(made(CONFIG_MAPS, 'corpus-patched', { data: { a: '1' } })),
  );
  const patch = (body: unknown, type: string): Promise<unknown> =>
    environment.send({ method: 'PATCH', path, body, contentType: type });
  const merge = 'application/merge-patch+json';
  await patch('{', merge);
  await patch('[]', merge);
  await patch('null', merge);
  await patch({ data: { a: 1 } }, merge);
  await patch({ nonsense: 1 }, merge);
  await patch({ kind: 'Secret' }, merge);
  await patch({ apiVersion: 'v2' }, merge);
  await patch({ metadata: { name: 'corpus-renamed' } }, merge);
  await patch({ metadata: { namespace: 'default' } }, merge);
  await patch({ metadata: { resourceVersion: 'nonsense' } }, merge);
  await patch({ metadata: { labels: null, annotations: { a: '1' } } }, merge);
  await patch({}, 'application/json');
  await patch({}, 'text/plain');
  await patch([{ op: 'test', path: '/data/a', value: 'x' }], 'application/json-patch+json');
  await patch([{ op: 'remove', path: '/data/none' }], 'application/json-patch+json');
  await patch([{ op: 'nonsense', path: '/data/none' }], 'application/json-patch+json');
  await patch([{ op: 'replace', path: '/data/a', value: '2' }], 'application/json-patch+json');
  await environment.must('remove it', (api) =>
    api.remove(named(CONFIG_MAPS, 'corpus-patched')).then(() => true),
  );
}
