import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Folders that belong to the node alone (init.sh binds them); its other writable folders are overlays. */
const REAL_FOLDERS = [
  '/etc/kubernetes',
  '/var/lib/kubelet',
  '/var/lib/containerd',
  '/var/lib/etcd',
  '/root',
];
const LAYERS = ['/etc', '/var'];

/** Host path of a node's path. @throws Error for a path outside of the node's own folders. */
export function placeOnHost(nodeFolder: string, path: string): string {
  const isPlain = normalize(path) === path && !path.endsWith('/');
  const isBelow = (folder: string): boolean => path.startsWith(`${folder}/`);
  if (isPlain && REAL_FOLDERS.some(isBelow)) return join(nodeFolder, 'disk', path);
  if (isPlain && LAYERS.some(isBelow)) return join(nodeFolder, 'layers', path);
  throw new Error(
    `${path}: a node of the lab keeps files below ${[...LAYERS, '/root'].join(', ')} only`,
  );
}

/**
 * Writes files to the disk of a stopped node. Secrets and manifests are readable by root only, as kubeadm leaves
 * them.
 */
export function writeDiskFiles(nodeFolder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const place = placeOnHost(nodeFolder, path);
    // System folders must be accessible to every user: sshd runs parts of itself without privileges.
    mkdirSync(dirname(place), { recursive: true, mode: 0o755 });
    writeFileSync(place, text, { mode: 0o600 });
    if (isForEveryone(path)) chmodSync(place, 0o644);
  }
}

function isForEveryone(path: string): boolean {
  return /^\/etc\/(hosts|hostname|resolv\.conf|cni\/.*|kubernetes\/pki\/.*\.(crt|pub))$/.test(path);
}
