import type { ClusterRef } from '../activities/contract.js';
import { failure } from '../activities/failures.js';
import { loadInventory, type InventoryCluster } from '../config/inventory.js';

/** Finds clusters by name. */
export type FindCluster = (cluster: ClusterRef) => Promise<InventoryCluster>;

/**
 * Reads the inventory at the start, so that an error in it is fatal there, and again when a name is unknown: clusters are
 * added while workers run.
 */
export async function openInventory(path: string): Promise<FindCluster> {
  let known = byName(await loadInventory(path));
  return async ({ name }) => {
    if (!known.has(name)) {
      known = await loadInventory(path).then(byName, (cause: unknown) => {
        throw failure('InvalidInput', `the inventory ${path} can no longer be read`, { cause });
      });
    }
    const found = known.get(name);
    if (found === undefined) {
      throw failure(
        'InvalidInput',
        `cluster ${name} is not in the inventory ${path} of this worker`,
      );
    }
    return found;
  };
}

function byName(clusters: readonly InventoryCluster[]): ReadonlyMap<string, InventoryCluster> {
  return new Map(clusters.map((cluster) => [cluster.name, cluster]));
}
