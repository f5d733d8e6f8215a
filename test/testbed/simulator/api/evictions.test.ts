import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, put, type ApiEnvironment } from './bare-cluster.js';

let environment: ApiEnvironment;
beforeAll(async () => {
  environment = await openApiEnvironment();
});
afterAll(async () => environment.end());

function pod(name: string, app: string, ready: 'True' | 'False' = 'True'): void {
  put(environment.cluster.store, 'pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app } },
    spec: { nodeName: 'cp-1' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
  });
}

/** Its kubelet removes an evicted pod, and a replacement starts. */
function replace(name: string, app: string): void {
  const ref = { resource: 'pods', namespace: 'default', name };
  environment.cluster.store.delete(ref, { gracePeriodSeconds: 0 });
  pod(`${name}-again`, app);
}

function budget(app: string, spec: object, name = app): void {
  put(environment.cluster.store, 'poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: { app } }, ...spec },
  });
}

const evict = async (name: string): Promise<number> => {
  const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
  return (await environment.admin.call('POST', path, { body })).status;
};

describe('eviction', () => {
  it.each<[string, object, readonly number[]]>([
    ['free', { minAvailable: 0 }, [201, 201, 201]],
    ['min-two', { minAvailable: 2 }, [201, 429, 429]],
    ['max-one', { maxUnavailable: 1 }, [201, 429, 201]],
    ['none', { maxUnavailable: 0 }, [429, 429, 429]],
    ['percent', { minAvailable: '50%' }, [201, 429, 429]],
  ])('an eviction with budget %s is answered as the budget allows', async (app, spec, codes) => {
    for (const index of [1, 2, 3]) pod(`${app}-${index}`, app);
    budget(app, spec);
    const seen = [await evict(`${app}-1`), await evict(`${app}-2`)];
    if (app === 'max-one') replace(`${app}-1`, app);
    expect([...seen, await evict(`${app}-3`)]).toEqual(codes);
  });

  it('an eviction needs no budget', async () => {
    pod('alone', 'alone');
    expect(await evict('alone')).toBe(201);
    replace('alone', 'alone');
    expect(await evict('alone')).toBe(404);
  });

  it('an eviction under two budgets is an error', async () => {
    pod('two', 'two');
    budget('two', { minAvailable: 0 });
    budget('two', { minAvailable: 0 }, 'two-again');
    expect(await evict('two')).toBe(500);
  });

  it('a budget counts only healthy pods', async () => {
    pod('weak-1', 'weak');
    pod('weak-2', 'weak', 'False');
    budget('weak', { minAvailable: 1 });
    expect(await evict('weak-1')).toBe(429);
  });
});
