import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MachinesOverHttp } from '../../activities/adapters/machines/machines-http.js';
import type { MachineOrder } from '../../activities/ports.js';
import { refusal, type ContractCluster, type OpenCluster } from './contract-cluster.js';
import { eventually } from './eventually.js';

/** What every implementation of `Machines` does. Tests build on each other, because machines take long. */
export function machinesContract(name: string, open: OpenCluster): void {
  describe(`Machines on ${name}`, () => {
    let cluster: ContractCluster;
    let machines: MachinesOverHttp;
    let order: MachineOrder;
    beforeAll(async () => {
      cluster = await open();
      if (cluster.ports.machines === null) throw new Error('this cluster has no machines API');
      machines = cluster.ports.machines;
      order = { name: 'contract-1', ...cluster.order, files: { '/etc/contract': 'content' } };
    });
    afterAll(async () => {
      await cluster.close();
    });

    it('reports which side removes etcd members', async () => {
      const { etcdMemberRemoval } = await machines.capabilities();
      expect(['machinesApi', 'us']).toContain(etcdMemberRemoval);
    });

    it('adds a machine once, however often it is ordered with one key', async () => {
      const guard = { epoch: 3, idempotencyKey: 'add-1' };
      const first = await machines.add(order, guard);
      expect(first).toMatchObject({ name: 'contract-1', side: cluster.order.side });
      await machines.add(order, guard);
      const named = (await machines.list()).filter((machine) => machine.name === 'contract-1');
      expect(named).toHaveLength(1);
    });

    it('refuses another order under the same key', async () => {
      const other = { ...order, files: { '/etc/contract': 'another content' } };
      const guard = { epoch: 3, idempotencyKey: 'add-1' };
      expect(await refusal(machines.add(other, guard))).toMatchObject({ type: 'ForeignEdit' });
    });

    it('refuses an order of an older epoch', async () => {
      const guard = { epoch: 2, idempotencyKey: 'older' };
      const add = machines.add({ ...order, name: 'contract-2' }, guard);
      expect(await refusal(add)).toMatchObject({ type: 'FenceLost' });
      expect(await refusal(machines.remove('contract-1', guard))).toMatchObject({
        type: 'FenceLost',
      });
      const names = (await machines.list()).map((machine) => machine.name);
      expect(names).toContain('contract-1');
      expect(names).not.toContain('contract-2');
    });

    it('brings the machine up as a Node with the ordered files', async () => {
      const ready = await eventually(cluster.patienceMs, async () => {
        const found = (await machines.list()).find((machine) => machine.name === 'contract-1');
        return found?.state === 'ready' ? found : null;
      });
      const node = ready.node ?? '';
      const ref = { apiVersion: 'v1', kind: 'Node', name: node };
      expect(await cluster.ports.api.get(ref)).not.toBeNull();
      const file = await cluster.ports.files.read(node, '/etc/contract');
      expect(file?.content).toBe('content');
    });

    it('removes a machine at the provider and with its Node; a machine that is gone stays removed', async () => {
      const node = (await machines.list()).find((one) => one.name === 'contract-1')?.node ?? '';
      const guard = { epoch: 3, idempotencyKey: 'remove-1' };
      await machines.remove('contract-1', guard);
      await eventually(cluster.patienceMs, async () =>
        (await machines.list()).some((one) => one.name === 'contract-1') ? null : 'gone',
      );
      expect(
        await cluster.ports.api.get({ apiVersion: 'v1', kind: 'Node', name: node }),
      ).toBeNull();
      await machines.remove('contract-1', guard);
    });
  });
}
