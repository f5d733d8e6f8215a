import { constants, type Stats } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterRef } from '../activities/contract.js';
import { errorCode, failure } from '../activities/failures.js';
import {
  type InventoryCluster,
  inventoryPathsIn,
  loadInventories,
} from '../config/loaded-inventories.js';
import { isYamlName, unreadable } from '../config/read-documents.js';
import { changeStamp, isWritableByOthers, refuseOthers, untilUnchanged } from './trusted-file.js';

/** Finds clusters by name. */
export type FindCluster = (cluster: ClusterRef) => Promise<InventoryCluster>;

export interface OpenedInventory {
  readonly findCluster: FindCluster;
  /** Throws while it cannot be read, is wrong, or may be written by others. */
  readonly read: () => Promise<unknown>;
}

interface InventorySettings {
  /** Whether it is refused where other users may write it: it says whose credentials are used, and the labels that rights rest on. */
  readonly onlyOwn: boolean;
  readonly rest?: () => Promise<unknown>;
}

type Clusters = ReadonlyMap<string, InventoryCluster>;

interface Known {
  readonly stamp: string;
  readonly clusters: Clusters;
}

/** As the access policy is: what has changed counts once it stays as it is. */
const MOST_READINGS = 10;

/**
 * The inventory as its files say now: they are read again when one has changed, is new or has gone, also behind a link that is turned to
 * another file. An error in it is fatal at the start, and later no cluster is found until it is mended.
 */
export async function openInventory(
  path: string,
  { onlyOwn, rest = untilUnchanged }: InventorySettings,
): Promise<OpenedInventory> {
  const paths = inventoryPathsIn(path);
  const first = await readAt(await stampOf(paths, onlyOwn), paths, onlyOwn);
  if (first === null) throw new Error(`${path}: ${BEING_WRITTEN}`);
  let known = first;
  const follow = async (): Promise<Clusters> => {
    for (let readings = 0; readings < MOST_READINGS; readings += 1) {
      const stamp = await stampOf(paths, onlyOwn);
      if (stamp === known.stamp) return known.clusters;
      await rest();
      const next = await readAt(stamp, paths, onlyOwn);
      if (next !== null) known = next;
    }
    throw new Error(`${path}: ${BEING_WRITTEN}`);
  };
  const read = shared(async () => {
    try {
      return await follow();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : 'unknown error';
      throw failure('Unavailable', `no cluster is found while the inventory is wrong: ${why}`, {
        cause,
      });
    }
  });
  const findCluster: FindCluster = async ({ name }) => {
    const found = (await read()).get(name);
    if (found === undefined) {
      const what = `cluster ${name} is not in the inventory ${path} of this worker`;
      throw failure('InvalidInput', what);
    }
    if (onlyOwn) await refuseNamedFiles(found);
    return found;
  };
  return { findCluster, read };
}

const BEING_WRITTEN = 'it is being written; write another file and rename it over this';

/** Asked by many activities at once, and done once for them. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | null = null;
  return () => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
}

/** Null where a file has changed since, or while they were read, so that half of one is not taken for all of it. */
async function readAt(
  stamp: string,
  paths: readonly string[],
  onlyOwn: boolean,
): Promise<Known | null> {
  if ((await stampOf(paths, onlyOwn)) !== stamp) return null;
  const clusters = await loadInventories(paths);
  if ((await stampOf(paths, onlyOwn)) !== stamp) return null;
  return { stamp, clusters: new Map(clusters.map((cluster) => [cluster.name, cluster])) };
}

/** What differs after each change of what is read. */
async function stampOf(paths: readonly string[], onlyOwn: boolean): Promise<string> {
  const files = await Promise.all(paths.map((path) => filesAt(path, onlyOwn)));
  const stamps = await Promise.all(
    files.flat().map(async (file) => {
      const found = await statOf(file);
      if (onlyOwn) refuseOthers(file, found);
      return `${file} ${changeStamp(found)}`;
    }),
  );
  return stamps.join('\n');
}

async function filesAt(path: string, onlyOwn: boolean): Promise<readonly string[]> {
  const found = await statOf(path);
  if (!found.isDirectory()) return [path];
  if (onlyOwn) await refuseOpenFolder(path, found);
  const names = await readdir(path);
  return names
    .filter(isYamlName)
    .sort()
    .map((name) => join(path, name));
}

async function statOf(path: string): Promise<Stats> {
  return stat(path).catch((error: unknown) => {
    throw new Error(`${path}: ${unreadable(error)}`);
  });
}

/** Others could add an inventory to it. A mounted ConfigMap is open by its mode, and is on a file system that no one can write here. */
async function refuseOpenFolder(path: string, found: Stats): Promise<void> {
  if (!isWritableByOthers(found)) return;
  const code = await access(path, constants.W_OK).then(() => '', errorCode);
  if (code !== 'EROFS') throw new Error(`${path}: others may write it: chmod 0755`);
}

/** A kubeconfig can start programs as this user, and known hosts tell a node from an impostor. One that is missing has an error of its own. */
async function refuseNamedFiles({ kubeconfig, nodeAccess }: InventoryCluster): Promise<void> {
  const knownHosts = nodeAccess.kind === 'ssh' ? nodeAccess.knownHosts : undefined;
  for (const path of [kubeconfig, ...(knownHosts === undefined ? [] : [knownHosts])]) {
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    try {
      refuseOthers(path, found);
    } catch (cause) {
      throw failure('Unavailable', cause instanceof Error ? cause.message : path, { cause });
    }
  }
}
