import {
  CONFIG_MAPS,
  LEASES,
  NODES,
  made,
  named,
  uidOf,
  versionOf,
  watched,
  type Scenario,
} from './scenario.js';
import type { Environment } from '../environment.js';

const MAPS = '/api/v1/namespaces/kube-system/configmaps';

function labelled(
  name: string,
  group: string,
  data: Record<string, string> = {},
): ReturnType<typeof made> {
  return made(CONFIG_MAPS, name, { metadata: { labels: { 'corpus-group': group } }, data });
}

async function makeMaps(
  environment: Environment,
  group: string,
  letters: readonly string[],
): Promise<void> {
  for (const letter of letters) {
    await environment.must(`create ${letter}`, (api) =>
      api.create(labelled(`corpus-${group}-${letter}`, group)),
    );
  }
}

async function removeMaps(
  environment: Environment,
  group: string,
  letters: readonly string[],
): Promise<void> {
  for (const letter of letters) {
    await environment.must(`remove ${letter}`, (api) =>
      api.remove(named(CONFIG_MAPS, `corpus-${group}-${letter}`)).then(() => true),
    );
  }
}

const LETTERS = ['a', 'b', 'c', 'd', 'e'];

/** Lists in pages, by labels and by fields, and the refusals. */
export const LIST_SCENARIO: Scenario = {
  name: 'lists',
  about:
    'Lists whole, in pages, by labels and fields; with tokens and selectors that are wrong or too old.',
  async play(environment) {
    await makeMaps(environment, 'list', LETTERS);
    const labelSelector = 'corpus-group=list';
    await environment.must('list', (api) => api.list(CONFIG_MAPS, { labelSelector }));
    await environment.must('list in pages of two', (api) =>
      api.list(CONFIG_MAPS, { labelSelector, limit: 2 }),
    );
    await environment.must('list by name', (api) =>
      api.list(CONFIG_MAPS, { fieldSelector: 'metadata.name=corpus-list-c' }),
    );
    await environment.must('list everywhere by namespace', (api) =>
      api.list(
        { apiVersion: 'v1', kind: 'ConfigMap' },
        { labelSelector, fieldSelector: 'metadata.namespace=kube-system' },
      ),
    );
    await environment.must('list a set', (api) =>
      api.list(CONFIG_MAPS, { labelSelector: 'corpus-group in (list,other),!corpus-other' }),
    );
    await environment.must('list nothing', (api) =>
      api.list(CONFIG_MAPS, { labelSelector: 'corpus-group=nothing' }),
    );
    await environment.must('list Leases of a namespace that is not there', (api) =>
      api.list({ ...LEASES, namespace: 'corpus-nowhere' }),
    );
    await environment.call('list by a broken label selector', (api) =>
      api.list(CONFIG_MAPS, { labelSelector: 'a in (' }),
    );
    await environment.call('list by an invalid label value', (api) =>
      api.list(CONFIG_MAPS, { labelSelector: 'a=b/c' }),
    );
    await environment.call('list by an unknown field', (api) =>
      api.list(CONFIG_MAPS, { fieldSelector: 'data.a=1' }),
    );
    await environment.call('list Nodes by an unknown field', (api) =>
      api.list(NODES, { fieldSelector: 'spec.podCIDR=x' }),
    );
    await environment.call('list by a broken field selector', (api) =>
      api.list(CONFIG_MAPS, { fieldSelector: 'nonsense' }),
    );
    await environment.send({ method: 'GET', path: `${MAPS}?continue=nonsense` });
    await environment.send({ method: 'GET', path: `${MAPS}?limit=many` });
    await environment.send({ method: 'GET', path: `${MAPS}?resourceVersion=nonsense` });
    await environment.send({
      method: 'GET',
      path: `${MAPS}?labelSelector=corpus-group%3Dlist&limit=-1`,
    });
    const first = await environment.send({
      method: 'GET',
      path: `${MAPS}?labelSelector=corpus-group%3Dlist&limit=2`,
    });
    const token = encodeURIComponent(String(first.metadata.continue));
    await environment.must('remove the third', (api) =>
      api.remove(named(CONFIG_MAPS, 'corpus-list-c')).then(() => true),
    );
    const next = `${MAPS}?labelSelector=corpus-group%3Dlist&limit=2&continue=${token}`;
    await environment.send({ method: 'GET', path: next });
    await environment.forgetHistory();
    await environment.send({ method: 'GET', path: next });
    await removeMaps(environment, 'list', ['a', 'b', 'd', 'e']);
  },
};

/** Watches from a list on: what happened since, until the end, and from a version that is too old. */
export const WATCH_SCENARIO: Scenario = {
  name: 'watches',
  about:
    'Watches from the version of a list, narrowed, to their end in good order, and from a forgotten version.',
  async play(environment) {
    const labelSelector = 'corpus-group=watch';
    const { resourceVersion } = await environment.must('list', (api) => api.list(CONFIG_MAPS));
    const made1 = await environment.must('create', (api) =>
      api.create(labelled('corpus-watch', 'watch', { a: '1' })),
    );
    const ref = named(CONFIG_MAPS, 'corpus-watch');
    await environment.must('create beside it', (api) =>
      api.create(labelled('corpus-beside', 'beside')),
    );
    await environment.must('change', (api) => api.mergePatch(ref, { data: { a: '2' } }));
    const leaving = { metadata: { labels: { 'corpus-group': 'beside' } } };
    await environment.must('take out of the selection', (api) => api.mergePatch(ref, leaving));
    const coming = { metadata: { labels: { 'corpus-group': 'watch' } } };
    await environment.must('put into the selection', (api) => api.mergePatch(ref, coming));
    await environment.must('remove', (api) =>
      api.remove(ref, { uid: uidOf(made1) }).then(() => true),
    );
    await environment.must('watch what happened', (api) =>
      watched(api, CONFIG_MAPS, { labelSelector, resourceVersion, timeoutSeconds: 30 }, 5),
    );
    await environment.must('watch it all', (api) =>
      watched(
        api,
        CONFIG_MAPS,
        { labelSelector: 'corpus-group in (watch,beside)', resourceVersion, timeoutSeconds: 30 },
        6,
      ),
    );
    await environment.must('watch by name', (api) =>
      watched(
        api,
        CONFIG_MAPS,
        { fieldSelector: 'metadata.name=corpus-beside', resourceVersion, timeoutSeconds: 30 },
        1,
      ),
    );
    await environment.must('watch from the change on', (api) =>
      watched(
        api,
        CONFIG_MAPS,
        { labelSelector, resourceVersion: versionOf(made1), timeoutSeconds: 30 },
        4,
      ),
    );
    await environment.must('watch to the end', (api) =>
      watched(api, CONFIG_MAPS, {
        labelSelector,
        resourceVersion: versionOf(made1),
        timeoutSeconds: 3,
      }),
    );
    await environment.forgetHistory();
    await environment.call('watch from a forgotten version', (api) =>
      watched(api, CONFIG_MAPS, { labelSelector, resourceVersion: '1', timeoutSeconds: 3 }),
    );
    await environment.send({ method: 'GET', path: `${MAPS}?watch=true&resourceVersion=nonsense` });
    await environment.call('watch by a broken selector', (api) =>
      watched(api, CONFIG_MAPS, { labelSelector: 'a in (', resourceVersion, timeoutSeconds: 3 }),
    );
    await environment.must('remove the other', (api) =>
      api.remove(named(CONFIG_MAPS, 'corpus-beside')).then(() => true),
    );
  },
};
