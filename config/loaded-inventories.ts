import { delimiter, dirname, resolve } from 'node:path';
import type { PrometheusSettings } from '../domain/policy.js';
import type { ClusterInventory } from './kinds/cluster-inventory.js';
import { prometheusSettings } from './kinds/metric-sources.js';
import { ConfigInvalid } from './problems.js';
import { readDocuments, wholeFile } from './read-documents.js';
import type { ValidDocument } from './validated-documents.js';
import { isOfKind } from './validated-documents.js';
import { repeatedNames } from './rules/repeated-names.js';
import { sshProblems } from './rules/ssh-rules.js';

export type NodeAccess =
  SshAccess | { readonly kind: 'http'; readonly url: string } | { readonly kind: 'none' };

/** Login on control-plane nodes. Paths are absolute; exactly one of `identityFile` and `agent` is set. */
export interface SshAccess {
  readonly kind: 'ssh';
  readonly user: string;
  readonly port: number;
  readonly sudo: boolean;
  /** A private key without passphrase, mode 0600. */
  readonly identityFile?: string | undefined;
  /** Socket of an ssh agent. */
  readonly agent?: string | undefined;
  readonly knownHosts?: string | undefined;
  /** By Node name. */
  readonly hosts: Readonly<Record<string, SshHost>>;
}

export interface SshHost {
  /** Used instead of the Node's InternalIP. */
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  /** Fingerprints or public keys; they replace the known_hosts file. */
  readonly hostKeys?: readonly string[] | undefined;
}

/** One cluster and how to reach it. Holds no credential: those stay in the kubeconfig. */
export interface InventoryCluster {
  readonly name: string;
  readonly region: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Absolute path of a kubeconfig for this cluster alone. */
  readonly kubeconfig: string;
  readonly context?: string;
  /** UID of namespace kube-system, when the inventory pins it. */
  readonly uid?: string;
  /** SHA-256 of the cluster's own authorities in hexadecimal, where the kubeconfig trusts others. */
  readonly certificateAuthorities?: readonly string[];
  readonly nodeAccess: NodeAccess;
  /** Without a machines API control-plane nodes change in place only. */
  readonly machinesApi: { readonly url: string } | null;
  /** Without a cloud API the cloud's own lists are not compared. */
  readonly cloudApi?: { readonly url: string };
  readonly allow: { readonly exec: boolean; readonly fileReferences: boolean };
  /** The Prometheus that has the cluster's series; absent without one. */
  readonly prometheus?: PrometheusSettings;
  /** Absolute path of the inventory that defines it, as passed to workers. */
  readonly inventoryFile: string;
}

/**
 * Every cluster of the ClusterInventory documents in a file or folder, frozen.
 * @throws ConfigInvalid with every problem at its line and column.
 */
export function loadInventory(path: string): Promise<readonly InventoryCluster[]> {
  return loadInventories([path]);
}

/** The same of several files and folders; other documents of ours may be next to the inventories. */
export async function loadInventories(
  paths: readonly string[],
): Promise<readonly InventoryCluster[]> {
  const { documents, problems } = await readDocuments(paths);
  const inventories = documents.filter((document) => isOfKind(document, 'ClusterInventory'));
  const all = [...problems, ...repeatedNames(inventories), ...sshProblems(inventories)];
  if (all.length === 0 && inventories.length === 0) {
    all.push(wholeFile(paths[0] ?? '.', 'no ClusterInventory document here', 'CCM5013'));
  }
  if (all.length > 0) throw new ConfigInvalid(all);
  return inventories.flatMap(inventoryClusters);
}

/** The files and folders in `CCM_MIGRATE_INVENTORY`, which separates several as PATH does. */
export function inventoryPathsIn(text: string): readonly string[] {
  return text.split(delimiter).filter((path) => path !== '');
}

/** The same text of several; each is a path that contains no separator. */
export function inventoryPathsText(paths: readonly string[]): string {
  return paths.join(delimiter);
}

/** The clusters of one valid inventory, with paths made absolute from the folder of its file. */
export function inventoryClusters(
  document: ValidDocument<ClusterInventory>,
): readonly InventoryCluster[] {
  const inventoryFile = resolve(document.file);
  const folder = dirname(inventoryFile);
  return document.content.spec.clusters.map((cluster) => {
    const { context, uid, certificateAuthorities, cloudApi, ...others } = cluster;
    const { kubeconfig, nodeAccess, metrics, ...rest } = others;
    const prometheus = prometheusSettings(metrics, inventoryFile);
    return Object.freeze({
      ...rest,
      inventoryFile,
      nodeAccess: fromFolder(folder, nodeAccess),
      kubeconfig: resolve(folder, kubeconfig),
      ...(prometheus === null ? {} : { prometheus }),
      ...(cloudApi === undefined ? {} : { cloudApi }),
      ...(context === undefined ? {} : { context }),
      ...(uid === undefined ? {} : { uid }),
      ...(certificateAuthorities === undefined
        ? {}
        : { certificateAuthorities: certificateAuthorities.map(plainFingerprint) }),
    });
  });
}

/** The bare digest of openssl's output. */
function plainFingerprint(printed: string): string {
  return printed.replaceAll(':', '').toLowerCase();
}

function fromFolder(folder: string, access: NodeAccess): NodeAccess {
  if (access.kind !== 'ssh') return access;
  const { identityFile, agent, knownHosts, ...rest } = access;
  return {
    ...rest,
    ...(identityFile === undefined ? {} : { identityFile: resolve(folder, identityFile) }),
    ...(agent === undefined ? {} : { agent: resolve(folder, agent) }),
    ...(knownHosts === undefined ? {} : { knownHosts: resolve(folder, knownHosts) }),
  };
}
