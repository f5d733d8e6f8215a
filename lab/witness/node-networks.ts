import { existsSync, readdirSync, statSync } from 'node:fs';
import { namespacePrefix } from '../network/link-names.js';

/** Whose network namespace it is. */
export interface NodeNetwork {
  readonly cluster: string;
  readonly node: string;
  readonly networkNamespace: string;
}

/** Network namespaces of a lab's nodes by inode. Clusters are `lab-C`, so names of nodes cannot be mistaken for them. */
export function nodeNetworks(lab: number, folder = '/run/netns'): ReadonlyMap<number, NodeNetwork> {
  const found = new Map<number, NodeNetwork>();
  // Made with the first network namespace of a machine.
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
    // Its machine was deleted between listing and looking.
    return null;
  }
}
