import { getFence } from '../../activities/fence/read-fence.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import type { FenceEpoch } from '../../domain/evidence/population.js';
import { onClusterFromHere } from '../plan/inspect-cluster.js';

/** One request to an API server. */
const REQUEST_MS = 10_000;

export interface ReadFences {
  readonly fences: readonly FenceEpoch[];
  /** `cluster: why`, of those that could not be read. */
  readonly unread: readonly string[];
}

/** The fence of each cluster as it is now. Reads only, and goes on where one cannot be read. */
export async function readFences(clusters: readonly InventoryCluster[]): Promise<ReadFences> {
  const fences: FenceEpoch[] = [];
  const unread: string[] = [];
  for (const cluster of clusters) {
    try {
      fences.push(await fenceOf(cluster));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      unread.push(why.startsWith(`${cluster.name}:`) ? why : `${cluster.name}: ${why}`);
    }
  }
  return { fences, unread };
}

function fenceOf(cluster: InventoryCluster): Promise<FenceEpoch> {
  return onClusterFromHere(cluster, { requestMs: REQUEST_MS }, async ({ api }, uid) => {
    const readAtMs = Date.now();
    const { fence } = await getFence(api, { timeoutMs: REQUEST_MS });
    return { cluster: cluster.name, uid, epoch: fence?.epoch ?? 0, readAtMs };
  });
}
