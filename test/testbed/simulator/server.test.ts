import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadInventory } from '../../../config/loaded-inventories.js';
import type { RunningSimulator } from '../../../testbed/simulator/server/serve-clusters.js';
import { startSimulator } from '../../../testbed/simulator/server.js';
import { clientOf, type TestAnswer } from './api/https-client.js';

describe('a served simulator', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'simulator-'));
  let simulator: RunningSimulator;
  beforeAll(async () => {
    const clusters = [
      { id: 'one', spec: { nodes: 1 } },
      { id: 'two', spec: { nodes: 3, version: '1.29.15', apiServerVersion: '1.30.14' } },
    ];
    simulator = await startSimulator({ port: 0, clusters, speed: 50, seed: 7, stateDir });
  });
  afterAll(async () => {
    await simulator.stop();
    rmSync(stateDir, { recursive: true });
  });

  const call = (id: string, path: string): Promise<TestAnswer> =>
    clientOf(readFileSync(simulator.kubeconfigs[id] ?? '', 'utf8')).call('GET', path);

  it('a served simulator keeps its clusters apart', async () => {
    const [one, two] = [await call('one', '/api/v1/nodes'), await call('two', '/api/v1/nodes')];
    const controlPlane = (answer: TestAnswer): number =>
      answer.json.items.filter((node: { metadata: { name: string } }) =>
        node.metadata.name.startsWith('cp-'),
      ).length;
    expect([controlPlane(one), controlPlane(two)]).toEqual([1, 3]);
    expect((await call('two', '/version')).json.gitVersion).toBe('v1.30.14');
  });

  it('a served simulator has managers that start, lead and run the cloud loops', async () => {
    const owners = async (): Promise<readonly string[]> => {
      const { json } = await call('two', '/simulator/v1/truth');
      return json.controllers.service.intervals.at(-1)?.owners ?? [];
    };
    while ((await owners()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await owners()).toEqual([expect.stringMatching(/^kcm:cp-\d#\d+$/)]);
    const lease = await call(
      'two',
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
    );
    expect(lease.json.spec.holderIdentity).toMatch(/^cp-\d_/);
  });

  it('a served simulator writes an inventory that the product reads, for its owner only', async () => {
    const inventory = await loadInventory(simulator.inventoryPath);
    expect(inventory).toMatchObject(
      ['one', 'two'].map((name) => ({
        name,
        kubeconfig: simulator.kubeconfigs[name],
        nodeAccess: { kind: 'http', url: `${simulator.url}/clusters/${name}/node-access` },
        machinesApi: { url: `${simulator.url}/clusters/${name}/machines-api` },
      })),
    );
    for (const path of [simulator.inventoryPath, ...Object.values(simulator.kubeconfigs)]) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
  });
});
