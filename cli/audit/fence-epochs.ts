import { getFence } from '../../activities/fence/read-fence.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import type { FenceEpoch } from '../../domain/evidence/population.js';
import type { Cli } from '../cli.js';
import { onClusterFromHere } from '../plan/inspect-cluster.js';
import { readClusters } from '../plan/read-clusters.js';

/** One request to an API server. */
const REQUEST_MS = 10_000;

export interface ReadFences {
  readonly fences: readonly FenceEpoch[];
  /** `cluster: why`, of those that could not be read. */
  readonly unread: readonly string[];
}

/** The fence of each cluster as it is now, so many at a time. Reads only, and goes on where one cannot be read. */
export async function readFences(
  cli: Cli,
  clusters: readonly InventoryCluster[],
): Promise<ReadFences> {
  const unread: string[] = [];
  const read = async (cluster: InventoryCluster): Promise<readonly FenceEpoch[]> => {
    try {
      return [await fenceOf(cluster)];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      unread.push(why.startsWith(`${cluster.name}:`) ? why : `${cluster.name}: ${why}`);
      return [];
    }
  };
  const told = (): string => `${String(unread.length)} could not be read`;
  const fences = await readClusters(cli, { clusters, rows: clusters }, { read, told });
  return { fences: fences.flat(), unread: unread.sort() };
}

function fenceOf(cluster: InventoryCluster): Promise<FenceEpoch> {
  return onClusterFromHere(cluster, { requestMs: REQUEST_MS }, async ({ api }, uid) => {
    const readAtMs = Date.now();
    const { fence } = await getFence(api, { timeoutMs: REQUEST_MS });
    return { cluster: cluster.name, uid, epoch: fence?.epoch ?? 0, readAtMs };
  });
}
