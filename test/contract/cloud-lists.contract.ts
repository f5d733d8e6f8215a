import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CloudLists } from '../../activities/ports.js';
import type { ServiceObject } from '../../activities/observe/objects.js';
import type { ContractCluster, OpenCluster } from './contract-cluster.js';

/** What every implementation of `CloudLists` does, on a cluster with load balancers. */
export function cloudListsContract(name: string, open: OpenCluster): void {
  describe(`CloudLists on ${name}`, () => {
    let cluster: ContractCluster;
    let cloud: CloudLists;
    beforeAll(async () => {
      cluster = await open();
      if (cluster.ports.cloud === undefined) throw new Error('this cluster has no cloud API');
      ({ cloud } = cluster.ports);
    });
    afterAll(async () => {
      await cluster.close();
    });

    it('lists the load balancer of each Service once, at the address that the Service has', async () => {
      const { items } = await cluster.ports.api.list<ServiceObject>({
        ...{ apiVersion: 'v1', kind: 'Service' },
      });
      const served = items.flatMap(({ status }) =>
        (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname),
      );
      const { balancers: listed, pools } = await cloud.loadBalancers();
      expect(served.length).toBeGreaterThan(0);
      expect(listed.flatMap(({ addresses }) => addresses).sort()).toEqual(served.sort());
      expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
      expect(listed.every((each) => each.pools.every((pool) => pool in pools))).toBe(true);
    });

    it('names the same load balancer alike each time', async () => {
      const [first, second] = [await cloud.loadBalancers(), await cloud.loadBalancers()];
      expect(first.balancers.map(({ id }) => id)).toEqual(second.balancers.map(({ id }) => id));
    });
  });
}
