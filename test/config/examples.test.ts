import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { loadFleets } from '../../config/fleet.js';
import { loadInventory } from '../../config/loaded-inventories.js';
import { inventoryText } from '../../testbed/simulator/server/inventory-file.js';
import { parseOptions } from '../../testbed/simulator/simulator-options.js';
import { withFiles } from './given-files.js';

it('the files for rehearsals fit the inventory and the versions of the simulator', async () => {
  const server = 'https://127.0.0.1:1/clusters/sim-1';
  const place = { region: 'default', labels: {}, kubeconfig: '/sim-1.kubeconfig' };
  const entry = { id: 'sim-1', ...place, server };
  await withFiles({ 'inventory.yaml': inventoryText([entry]) }, async (folder) => {
    const [fleet, ...others] = await loadFleets([
      'config/examples/simulator',
      join(folder, 'inventory.yaml'),
    ]);
    expect(others).toEqual([]);
    expect(fleet?.clusters.map(({ name }) => name)).toEqual(['sim-1']);
    const parsed = parseOptions([]);
    const [first] = parsed.kind === 'run' ? parsed.options.simulator.clusters : [];
    expect([fleet?.policy.source.version, fleet?.policy.target.version]).toEqual([
      first?.spec?.version,
      first?.spec?.apiServerVersion,
    ]);
  });
});

it('the fleet of simulated clusters has three waves with every cluster of both inventories', async () => {
  const [fleet, ...others] = await loadFleets(['config/examples/fleet']);
  expect(others).toEqual([]);
  expect(fleet?.waves.map(({ plan, clusters }) => [plan.name, clusters.length])).toEqual([
    ['pilot', 4],
    ['eu', 4],
    ['us', 4],
  ]);
  expect(fleet?.rollout).toMatchObject({ inFlight: 4, unproven: 8, budget: { clusters: 2 } });
});

it('the inventory for nodes over SSH has no problem', async () => {
  const [cluster] = await loadInventory('config/examples/ssh-nodes/inventory.yaml');
  expect(cluster?.nodeAccess).toMatchObject({ kind: 'ssh', sudo: true });
});
