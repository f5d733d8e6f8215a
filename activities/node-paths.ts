import { posix } from 'node:path';
import { COMPONENTS } from '../domain/managers/controller-names.js';
import { LEADER_MIGRATION_FOLDER, MANIFEST_PATHS } from '../domain/manifests/paths.js';
import type { Manager } from '../domain/vocabulary.js';

/** Static pod manifest that the kubelet runs. */
export function manifestPath(manager: Manager): string {
  return MANIFEST_PATHS[manager];
}

/** Successor of a manifest, written before the manifest is removed, and deleted when the successor runs. */
export function nextPath(manager: Manager): string {
  return `${LEADER_MIGRATION_FOLDER}/next/${manager}.yaml`;
}

/** Manifest that was removed on purpose. */
export function parkedPath(manager: Manager): string {
  return `${LEADER_MIGRATION_FOLDER}/parked/${manager}.yaml`;
}

/** The three places of a manager's manifest on a node. */
export function manifestPlaces(manager: Manager): readonly string[] {
  return [manifestPath(manager), nextPath(manager), parkedPath(manager)];
}

/** Copy of a manifest before a change, by content. `hash` is `sha256:<hex>`. */
export function backupPath(manager: Manager, hash: string): string {
  return `${LEADER_MIGRATION_FOLDER}/backup/${manager}-${shortHash(hash)}.yaml`;
}

/** Where kubeadm keeps the kubelet's extra flags. */
export const KUBELET_FLAGS = '/var/lib/kubelet/kubeadm-flags.env';

/** An absolute path without `.`, `..`, doubled slashes or a NUL: only such files of a node are touched. */
export function isPlainPath(path: string): boolean {
  return path.startsWith('/') && posix.normalize(path) === path && !path.includes('\0');
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** First 12 hex digits of a `sha256:<hex>` digest, as content-hashed names carry them. */
export function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, '').slice(0, 12);
}

/** Name of a static pod's mirror object: the pod's name and the node's. */
export function mirrorPodName(manager: Manager, node: string): string {
  return `${COMPONENTS[manager]}-${node}`;
}
