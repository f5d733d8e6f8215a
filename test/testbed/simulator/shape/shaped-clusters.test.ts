import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadInventory } from '../../../../config/loaded-inventories.js';
import type { RunningSimulator } from '../../../../testbed/simulator/server/serve-clusters.js';
import { startSimulator } from '../../../../testbed/simulator/server.js';
import { parseOptions } from '../../../../testbed/simulator/simulator-options.js';
import { clientOf, type TestAnswer } from '../api/https-client.js';

const SHAPE = `apiVersion: simulator.ccm-migrate.dev/v1
kind: SimulatorShape
groups:
  - { prefix: eu, count: 2, region: eu, labels: { tier: pilot }, nodes: 1 }
  - prefix: us
    region: us
    nodes: 1
    faults:
      - { on: { pathIncludes: kube-public }, fault: serverError, lasts: 10m }
      - { on: { pathIncludes: kube-node-lease }, event: crashOwner }
      - { on: { pathIncludes: cloud-fails }, cloud: fail, controller: service, lasts: 30s }
      - { on: { pathIncludes: cloud-hangs }, cloud: hang, controller: service }
      - { on: { pathIncludes: cloud-heals }, cloud: heal }
`;

describe('simulated clusters of a shape', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'simulator-shape-'));
  let simulator: RunningSimulator;
  beforeAll(async () => {
    const shape = join(stateDir, 'shape.yaml');
    writeFileSync(shape, SHAPE);
    const parsed = parseOptions(['--shape', shape, '--state-dir', stateDir, '--speed', '20']);
    if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
    const started = await startSimulator({ ...parsed.options.simulator, stateDir });
    await started.elected(60_000);
    simulator = started;
  });
  afterAll(async () => {
    await simulator.stop();
    rmSync(stateDir, { recursive: true });
  });

  const call = (id: string, path: string): Promise<TestAnswer> =>
    clientOf(readFileSync(simulator.kubeconfigs[id] ?? '', 'utf8')).call('GET', path);
  const ownersIn = async (id: string): Promise<readonly string[]> => {
    const { json } = await call(id, '/simulator/v1/truth');
    return json.controllers.service.intervals.flatMap(
      ({ owners }: { readonly owners: readonly string[] }) => owners,
    );
  };

  it('one inventory has every cluster of a shape, with its region and labels', async () => {
    const inventory = await loadInventory(simulator.inventoryPath);
    expect(inventory.map(({ name, region, labels }) => [name, region, labels])).toEqual([
      ['eu-1', 'eu', { tier: 'pilot' }],
      ['eu-2', 'eu', { tier: 'pilot' }],
      ['us-1', 'us', {}],
    ]);
  });

  it('an outage of a shape begins with the request that it waits for, and strikes all of that cluster', async () => {
    const config = '/api/v1/namespaces/kube-public/configmaps';
    expect((await call('us-1', '/version')).status).toBe(200);
    expect((await call('us-1', config)).status).toBe(500);
    expect((await call('us-1', '/version')).status).toBe(500);
    expect((await call('eu-1', config)).status).toBe(200);
  });

  it('an event of a shape crashes the owner when its request arrives', async () => {
    const [before = ''] = await ownersIn('us-1');
    await call('us-1', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases');
    const others = async (): Promise<boolean> =>
      (await ownersIn('us-1')).some((owner) => owner !== before);
    while (!(await others())) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await ownersIn('eu-1')).toHaveLength(1);
  });

  it('a cloud of a shape fails for its time, and hangs until it is healed', async () => {
    const faults = async (): Promise<readonly unknown[]> =>
      (await call('us-1', '/simulator/v1/cloud-faults')).json.faults;
    const config = '/api/v1/namespaces/default/configmaps';
    const error = 'the cloud is out of order';
    await call('us-1', `${config}/cloud-fails`);
    expect(await faults()).toEqual([{ controller: 'service', cloud: 'fail', ratio: 1, error }]);
    while ((await faults()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await call('us-1', `${config}/cloud-hangs`);
    expect(await faults()).toEqual([{ controller: 'service', cloud: 'hang' }]);
    await call('us-1', `${config}/cloud-heals`);
    expect(await faults()).toEqual([]);
  });
});
