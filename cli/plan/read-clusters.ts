import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { ConfigInvalid } from '../../config/problems.js';
import type { Cli } from '../cli.js';
import { isText } from '../cli.js';
import { CliError, UsageError, refusalAt } from '../cli-error.js';

/** Clusters that are read at the same time. */
const AT_ONCE = 16;

/** How one cluster is read, with what belongs to it, and how the progress is told. */
export interface ClusterReading<Result, Row> {
  readonly read: (cluster: InventoryCluster, row: Row) => Promise<Result>;
  /** Of those that were read so far, for example `3 of them left out`. */
  readonly told: (results: readonly Result[]) => string;
}

/** Clusters, and beside each what is known of it: rows of a fleet, for example. */
export interface ClustersToRead<Row> {
  readonly clusters: readonly InventoryCluster[];
  readonly rows: readonly Row[];
}

/** Reads every cluster, so many at a time; results are in their order. */
export async function readClusters<Result, Row>(
  cli: Cli,
  { clusters, rows }: ClustersToRead<Row>,
  { read, told }: ClusterReading<Result, Row>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const finished: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < clusters.length) {
      const index = next;
      next += 1;
      const [cluster, row] = [clusters[index], rows[index]];
      if (cluster === undefined || row === undefined) return;
      const result = await read(cluster, row);
      results[index] = result;
      finished.push(result);
      sayProgress(cli, clusters.length, finished.length, () => told(finished));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** About ten lines for a fleet of any size; a machine that reads the result gets none. */
function sayProgress(cli: Cli, all: number, done: number, told: () => string): void {
  const every = Math.max(1, Math.ceil(all / 10));
  if (!isText(cli) || all <= AT_ONCE || (done % every !== 0 && done !== all)) return;
  cli.terminal.err(`${done} of ${all} clusters read, ${told()}\n`);
}

/** Why one cluster of a fleet could not be read. */
export interface Unread {
  readonly kind: 'unreachable' | 'refused';
  readonly code: string;
  readonly seen: string;
  readonly fix: string;
}

/**
 * What stands in the way of reading one cluster is a result, and never ends the reading of the others.
 * @throws the error itself where it is about the files, the command line or an interruption: it is not about this cluster alone.
 */
export function unreadBecause(
  { name }: Pick<InventoryCluster, 'name'>,
  error: unknown,
  signal: AbortSignal,
): Unread {
  if (signal.aborted || error instanceof ConfigInvalid || error instanceof UsageError) throw error;
  const refusal = refusalAt(name, error);
  if (refusal instanceof CliError) {
    const { exitStatus, code, message: seen, fix } = refusal;
    return { kind: exitStatus === 'failed' ? 'unreachable' : 'refused', code, seen, fix };
  }
  return {
    ...{ kind: 'refused', code: 'CCM4013' },
    seen: error instanceof Error ? error.message : String(error),
    fix: 'Read this cluster alone with --cluster to see it whole.',
  };
}

/** Names that stand for the same cluster, by its UID; only where there are several. */
export function repeatedClusters(
  read: readonly { readonly uid: string; readonly name: string }[],
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const { uid, name } of read) names.set(uid, [...(names.get(uid) ?? []), name]);
  return new Map([...names].filter(([, same]) => same.length > 1));
}

/** What to do about a cluster that is in the inventory under several names. */
export const REPEATED_FIX = 'Correct the address of one of them in the inventory, or remove it.';
