import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, type ApiEnvironment } from './bare-cluster.js';
import type { TestAnswer } from './https-client.js';

const PATH = '/simulator/v1/cloud-faults';

let environment: ApiEnvironment;
beforeEach(async () => {
  environment = await openApiEnvironment();
});
afterEach(async () => {
  await environment.end();
});

const order = (...faults: readonly unknown[]): Promise<TestAnswer> =>
  environment.admin.call('POST', PATH, { body: { faults } });

describe('faults of the cloud on order', () => {
  it('faults are set, shown and healed over the control API', async () => {
    const fail = {
      controller: 'service',
      manager: 'ccm',
      cloud: 'fail',
      ratio: 0.2,
      error: 'quota',
    };
    const slow = { controller: 'route', op: 'CreateRoute', cloud: 'slow', ms: 3000 };
    const hang = { controller: 'node', cloud: 'hang' };
    const set = await order(fail, slow, hang);
    expect(set.json).toEqual({ faults: [fail, slow, hang], hanging: 0 });
    expect((await environment.admin.call('GET', PATH)).json).toEqual(set.json);
    expect(environment.cluster.cloudFaults.list).toHaveLength(3);
    expect((await order(hang)).json.faults).toEqual([hang]);
    const healed = await environment.admin.call('DELETE', PATH);
    expect(healed.json).toEqual({ faults: [], hanging: 0 });
    expect(environment.cluster.cloudFaults.list).toEqual([]);
  });

  it('a fault without details fails every call, with a text that says whose error it is', async () => {
    expect((await order({ controller: 'service', cloud: 'fail' })).json.faults).toEqual([
      { controller: 'service', cloud: 'fail', ratio: 1, error: 'the cloud is out of order' },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['no controller', { cloud: 'hang' }, 'controller must be one of service, route, node'],
    ['no harm', { controller: 'node' }, 'cloud must be one of fail, hang, slow'],
    ['an unknown manager', { controller: 'node', cloud: 'hang', manager: 'x' }, 'kcm or ccm'],
    ['a ratio above 1', { controller: 'node', cloud: 'fail', ratio: 1.5 }, 'from 0 to 1'],
    ['a ratio that is none', { controller: 'node', cloud: 'fail', ratio: null }, 'from 0 to 1'],
    ['an empty error', { controller: 'node', cloud: 'fail', error: '' }, 'error must be a text'],
    ['slow without a time', { controller: 'node', cloud: 'slow' }, 'ms must be a number'],
    ['an odd operation', { controller: 'node', cloud: 'hang', op: 'a b' }, 'op must be'],
    ['a misspelt key', { controller: 'node', cloud: 'fail', ration: 1 }, 'unknown key ration'],
    ['no object', 1, 'must be an object'],
  ])('an order is refused and changes nothing: %s', async (_, fault, words) => {
    await order({ controller: 'route', cloud: 'hang' });
    const answer = await order({ controller: 'route', cloud: 'hang' }, fault);
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining(words)]);
    expect(answer.json.message).toContain('faults[1]');
    expect(environment.cluster.cloudFaults.list).toHaveLength(1);
  });

  it('an order without a list is refused', async () => {
    const answer = await environment.admin.call('POST', PATH, { body: { fault: [] } });
    expect([answer.status, answer.json.message]).toEqual([400, 'faults must be a list']);
  });
});
