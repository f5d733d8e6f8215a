import { dirname, resolve } from 'node:path';
import type { ClusterInventory } from './kinds/cluster-inventory.js';
import { ConfigInvalid } from './problems.js';
import { readDocuments, wholeFile } from './read-documents.js';
import type { ValidDocument } from './validated-documents.js';
import { isOfKind } from './validated-documents.js';
import { repeatedNames } from './rules/repeated-names.js';

export type NodeAccess =
  { readonly kind: 'http'; readonly url: string } | { readonly kind: 'none' };

/** One cluster and how it is reached. Holds no credential: those stay in the kubeconfig. */
export interface InventoryCluster {
  readonly name: string;
  readonly region: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Absolute path of a kubeconfig for this cluster alone. */
  readonly kubeconfig: string;
  readonly context?: string;
  /** UID of namespace kube-system, when the inventory pins it. */
  readonly uid?: string;
  readonly nodeAccess: NodeAccess;
  /** Without a machines API control-plane nodes change in place only. */
  readonly machinesApi: { readonly url: string } | null;
  readonly allow: { readonly exec: boolean; readonly fileReferences: boolean };
}

/**
 * Every cluster of the ClusterInventory documents in a file or folder, frozen.
 * @throws ConfigInvalid with every problem at its line and column.
 */
export async function loadInventory(path: string): Promise<readonly InventoryCluster[]> {
  const { documents, problems } = await readDocuments([path]);
  const inventories = documents.filter((document) => isOfKind(document, 'ClusterInventory'));
  const all = [...problems, ...repeatedNames(inventories)];
  if (all.length === 0 && inventories.length === 0) {
    all.push(wholeFile(path, 'no ClusterInventory document here', 'CCM5013'));
  }
  if (all.length > 0) throw new ConfigInvalid(all);
  return inventories.flatMap(inventoryClusters);
}

/** The clusters of one valid inventory, with paths made absolute from the folder of its file. */
export function inventoryClusters(
  document: ValidDocument<ClusterInventory>,
): readonly InventoryCluster[] {
  const folder = dirname(resolve(document.file));
  return document.content.spec.clusters.map((cluster) => {
    const { context, uid, kubeconfig, ...rest } = cluster;
    return Object.freeze({
      ...rest,
      kubeconfig: resolve(folder, kubeconfig),
      ...(context === undefined ? {} : { context }),
      ...(uid === undefined ? {} : { uid }),
    });
  });
}
