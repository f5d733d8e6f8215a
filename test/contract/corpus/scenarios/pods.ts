import type { Stage } from '../stage.js';
import {
  NODES,
  NO_UID,
  PODS,
  made,
  named,
  uidOf,
  type AnyObject,
  type Scenario,
} from './scenario.js';

const IN_DEFAULT = { ...PODS, namespace: 'default' };
const LABELS = { 'corpus-app': 'web' };
const BUDGETS = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: 'default' };

/** A pod on a node without a kubelet: only requests change it. */
function pod(name: string, rest: Record<string, unknown> = {}): AnyObject {
  return made(IN_DEFAULT, name, {
    metadata: { labels: LABELS, ...(rest['metadata'] as object | undefined) },
    spec: {
      nodeName: 'corpus-node',
      automountServiceAccountToken: false,
      containers: [{ name: 'web', image: 'registry.example/web:1' }],
      ...(rest['spec'] as object | undefined),
    },
  });
}

/** A real cluster's admission requires the service account that the controllers make. */
async function makeAccount(stage: Stage): Promise<void> {
  await stage.call('the account of its pods', (api) =>
    api.create(
      made({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default' }, 'corpus-account'),
    ),
  );
}

async function report(
  stage: Stage,
  kind: 'pods' | 'poddisruptionbudgets',
  name: string,
  status: object,
): Promise<void> {
  const group = kind === 'pods' ? '/api/v1' : '/apis/policy/v1';
  await stage.send({
    method: 'PATCH',
    path: `${group}/namespaces/default/${kind}/${name}/status`,
    contentType: 'application/merge-patch+json',
    body: { status },
  });
}

const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** The pods that a drain meets: evicted, gone, kept by a budget; and pods that are removed by their uid. */
export const POD_SCENARIO: Scenario = {
  name: 'pods',
  about:
    'Pods of a node are listed, evicted, kept by a disruption budget, removed by uid, and gone.',
  async play(stage) {
    const spec = { serviceAccountName: 'corpus-account' };
    await makeAccount(stage);
    await stage.must('create a Node', (api) => api.create(made(NODES, 'corpus-node')));
    const first = await stage.must('create a pod', (api) =>
      api.create(pod('corpus-first', { spec })),
    );
    await stage.must('create another', (api) => api.create(pod('corpus-second', { spec })));
    await stage.must('create a mirror pod', (api) =>
      api.create(
        pod('corpus-mirror', {
          spec: { ...spec, nodeName: 'corpus-node' },
          metadata: { annotations: { 'corpus-note': 'x' } },
        }),
      ),
    );
    await stage.must('list those of the node', (api) =>
      api.list({ apiVersion: 'v1', kind: 'Pod' }, { fieldSelector: 'spec.nodeName=corpus-node' }),
    );
    await stage.must('list by labels', (api) =>
      api.list(IN_DEFAULT, { labelSelector: 'corpus-app in (web,other)' }),
    );
    for (const name of ['corpus-first', 'corpus-second']) await report(stage, 'pods', name, READY);
    await stage.call('remove one of another uid', (api) =>
      api.remove(named(IN_DEFAULT, 'corpus-first'), { uid: NO_UID }),
    );
    await stage.must('remove a pod', (api) =>
      api.remove(named(IN_DEFAULT, 'corpus-first'), { uid: uidOf(first) }).then(() => true),
    );
    await stage.must('remove it again', (api) =>
      api.remove(named(IN_DEFAULT, 'corpus-first')).then(() => true),
    );
    await stage.must('read what waits for its kubelet', (api) =>
      api.get(named(IN_DEFAULT, 'corpus-first')),
    );
    await stage.must('let it end', (api) =>
      api.remove(named(IN_DEFAULT, 'corpus-first'), { gracePeriodSeconds: 0 }).then(() => true),
    );
    await stage.call('evict what is gone', (api) =>
      api.evict({ namespace: 'default', name: 'corpus-first' }),
    );
    await stage.call('change its arguments', (api) =>
      api.mergePatch(named(IN_DEFAULT, 'corpus-second'), {
        spec: { containers: [{ name: 'web', image: 'x', args: ['y'] }] },
      }),
    );
    await stage.must('mark it', (api) =>
      api.mergePatch(named(IN_DEFAULT, 'corpus-second'), { metadata: { labels: { extra: '1' } } }),
    );
    await evictions(stage);
    await stage.must('remove the Node', (api) =>
      api.remove(named(NODES, 'corpus-node')).then(() => true),
    );
  },
};

async function evictions(stage: Stage): Promise<void> {
  const second = { namespace: 'default', name: 'corpus-second' };
  await stage.must('make a budget', (api) =>
    api.create(
      made(BUDGETS, 'corpus-budget', {
        spec: { minAvailable: 1, selector: { matchLabels: { extra: '1' } } },
      }),
    ),
  );
  await report(stage, 'poddisruptionbudgets', 'corpus-budget', {
    ...{
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    },
  });
  await stage.call('evict what a budget keeps', (api) => api.evict(second));
  await stage.must('make a second budget', (api) =>
    api.create(
      made(BUDGETS, 'corpus-other', {
        spec: { maxUnavailable: 0, selector: { matchLabels: { extra: '1' } } },
      }),
    ),
  );
  await stage.call('evict what two budgets keep', (api) => api.evict(second));
  for (const name of ['corpus-budget', 'corpus-other']) {
    await stage.must(`remove ${name}`, (api) => api.remove(named(BUDGETS, name)).then(() => true));
  }
  await stage.call('evict', (api) => api.evict(second));
  await stage.call('evict again', (api) => api.evict(second));
  await stage.must('read what was evicted', (api) => api.get(named(IN_DEFAULT, 'corpus-second')));
  await stage.send({
    method: 'POST',
    path: '/api/v1/namespaces/default/pods/corpus-second/eviction',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'corpus-other' } },
  });
  for (const name of ['corpus-second', 'corpus-mirror']) {
    await stage.must(`end ${name}`, (api) =>
      api.remove(named(IN_DEFAULT, name), { gracePeriodSeconds: 0 }).then(() => true),
    );
  }
}
