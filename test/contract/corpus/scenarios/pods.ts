import type { Environment } from '../environment.js';
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
async function makeAccount(environment: Environment): Promise<void> {
  await environment.call('the account of its pods', (api) =>
    api.create(
      made({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default' }, 'corpus-account'),
    ),
  );
}

async function report(
  environment: Environment,
  kind: 'pods' | 'poddisruptionbudgets',
  name: string,
  status: object,
): Promise<void> {
  const group = kind === 'pods' ? '/api/v1' : '/apis/policy/v1';
  await environment.send({
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
  async play(environment) {
    const spec = { serviceAccountName: 'corpus-account' };
    await makeAccount(environment);
    await environment.must('create a Node', (api) => api.create(made(NODES, 'corpus-node')));
    const first = await environment.must('create a pod', (api) =>
      api.create(pod('corpus-first', { spec })),
    );
    await environment.must('create another', (api) => api.create(pod('corpus-second', { spec })));
    await environment.must('create a mirror pod', (api) =>
      api.create(
        pod('corpus-mirror', {
          spec: { ...spec, nodeName: 'corpus-node' },
          metadata: { annotations: { 'corpus-note': 'x' } },
        }),
      ),
    );
    await environment.must('list those of the node', (api) =>
      api.list({ apiVersion: 'v1', kind: 'Pod' }, { fieldSelector: 'spec.nodeName=corpus-node' }),
    );
    await environment.must('list by labels', (api) =>
      api.list(IN_DEFAULT, { labelSelector: 'corpus-app in (web,other)' }),
    );
    for (const name of ['corpus-first', 'corpus-second'])
      await report(environment, 'pods', name, READY);
    await environment.call('remove one of another uid', (api) =>
      api.remove(named(IN_DEFAULT, 'corpus-first'), { uid: NO_UID }),
    );
    await environment.must('remove a pod', (api) =>
      api.remove(named(IN_DEFAULT, 'corpus-first'), { uid: uidOf(first) }).then(() => true),
    );
    await environment.must('remove it again', (api) =>
      api.remove(named(IN_DEFAULT, 'corpus-first')).then(() => true),
    );
    await environment.must('read what waits for its kubelet', (api) =>
      api.get(named(IN_DEFAULT, 'corpus-first')),
    );
    await environment.must('let it end', (api) =>
      api.remove(named(IN_DEFAULT, 'corpus-first'), { gracePeriodSeconds: 0 }).then(() => true),
    );
    await environment.call('evict what is gone', (api) =>
      api.evict({ namespace: 'default', name: 'corpus-first' }),
    );
    await environment.call('change its arguments', (api) =>
      api.mergePatch(named(IN_DEFAULT, 'corpus-second'), {
        spec: { containers: [{ name: 'web', image: 'x', args: ['y'] }] },
      }),
    );
    await environment.must('mark it', (api) =>
      api.mergePatch(named(IN_DEFAULT, 'corpus-second'), { metadata: { labels: { extra: '1' } } }),
    );
    await evictions(environment);
    await environment.must('remove the Node', (api) =>
      api.remove(named(NODES, 'corpus-node')).then(() => true),
    );
  },
};

async function evictions(environment: Environment): Promise<void> {
  const second = { namespace: 'default', name: 'corpus-second' };
  await environment.must('make a budget', (api) =>
    api.create(
      made(BUDGETS, 'corpus-budget', {
        spec: { minAvailable: 1, selector: { matchLabels: { extra: '1' } } },
      }),
    ),
  );
  await report(environment, 'poddisruptionbudgets', 'corpus-budget', {
    ...{
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    },
  });
  await environment.call('evict what a budget keeps', (api) => api.evict(second));
  await environment.must('make a second budget', (api) =>
    api.create(
      made(BUDGETS, 'corpus-other', {
        spec: { maxUnavailable: 0, selector: { matchLabels: { extra: '1' } } },
      }),
    ),
  );
  await environment.call('evict what two budgets keep', (api) => api.evict(second));
  for (const name of ['corpus-budget', 'corpus-other']) {
    await environment.must(`remove ${name}`, (api) =>
      api.remove(named(BUDGETS, name)).then(() => true),
    );
  }
  await environment.call('evict', (api) => api.evict(second));
  await environment.call('evict again', (api) => api.evict(second));
  await environment.must('read what was evicted', (api) =>
    api.get(named(IN_DEFAULT, 'corpus-second')),
  );
  await environment.send({
    method: 'POST',
    path: '/api/v1/namespaces/default/pods/corpus-second/eviction',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'corpus-other' } },
  });
  for (const name of ['corpus-second', 'corpus-mirror']) {
    await environment.must(`end ${name}`, (api) =>
      api.remove(named(IN_DEFAULT, name), { gracePeriodSeconds: 0 }).then(() => true),
    );
  }
}
