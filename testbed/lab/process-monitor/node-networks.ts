import { existsSync, readdirSync, statSync } from 'node:fs';
import { namespacePrefix } from '../network/link-names.js';

/** The node of a network namespace. */
export interface NodeNetwork {
  readonly cluster: string;
  readonly node: string;
  readonly networkNamespace: string;
}

/** Network namespaces of a lab's nodes by inode. Namespaces named `lab-C` belong to clusters, not to nodes. */
export function nodeNetworks(lab: number, folder = '/run/netns'): ReadonlyMap<number, NodeNetwork> {
  const found = new Map<number, NodeNetwork>();
  // The folder is created with the first network namespace of a machine.
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(namespacePrefix(lab))) continue;
    const [, cluster, node] =
      /^(lab-\d+)-(.+)$/.exec(name.slice(namespacePrefix(lab).length)) ?? [];
    if (cluster === undefined || node === undefined || node === 'api') continue;
    const inode = inodeOf(`${folder}/${name}`);
    if (inode !== null) found.set(inode, { cluster, node, networkNamespace: name });
  }
  return found;
}

function inodeOf(path: string): number | null {
  try {
    return statSync(path).ino;
  } catch {
    // Its machine was deleted between listing and reading.
    return null;
  }
}
