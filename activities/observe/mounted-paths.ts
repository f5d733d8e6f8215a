import { parseArguments, textFlag } from '../../domain/documents/arguments.js';
import type { ManagerManifest } from '../../domain/documents/manifest.js';
import { knownManifest } from './known-manifests.js';
import type { HostProcess } from '../ports.js';
import type { FileReading, SlotFiles } from './readings.js';

/** Where a path inside the manager's container comes from. */
export type MountedFile =
  | { readonly kind: 'host'; readonly path: string }
  | { readonly kind: 'configMap'; readonly name: string; readonly key: string }
  /** A Secret, a projected volume, or the image itself: not ours to read. */
  | { readonly kind: 'other' };

/** Resolves a container path through the mounts of a manifest, the longest mount first. */
export function mountedFile(manifest: ManagerManifest, path: string): MountedFile {
  const mounts = [...manifest.mounts]
    .filter((mount) => path === mount.path || path.startsWith(`${mount.path.replace(/\/$/, '')}/`))
    .sort((a, b) => b.path.length - a.path.length);
  const [mount] = mounts;
  const volume = manifest.volumes.find(({ name }) => name === mount?.volume);
  if (mount === undefined || volume === undefined) return { kind: 'other' };
  const rest = path.slice(mount.path.replace(/\/$/, '').length);
  if (volume.kind === 'hostPath') {
    return { kind: 'host', path: `${volume.path.replace(/\/$/, '')}${rest}` };
  }
  if (volume.kind === 'configMap') {
    return { kind: 'configMap', name: volume.configMap, key: rest.replace(/^\//, '') };
  }
  return { kind: 'other' };
}

/** Host paths that the managers of a node read: Leader Migration files, and cloud configurations (hashed only). */
export interface ManagerFilePaths {
  readonly migration: readonly string[];
  readonly cloudConfig: readonly string[];
}

export function managerFilePaths(
  processes: readonly HostProcess[],
  slots: readonly SlotFiles[],
): ManagerFilePaths {
  const manifests = slots.flatMap(({ manifest, next, parked }) =>
    [manifest, next, parked].flatMap(manifestOf),
  );
  const named = (flag: string): readonly string[] => {
    const paths = manifests.flatMap((manifest) => {
      const path = textFlag(parseArguments(manifest.arguments), flag) ?? '';
      const file = path === '' ? null : mountedFile(manifest, path);
      return file?.kind === 'host' ? [file.path] : [];
    });
    const bare = processes.flatMap((process) => {
      const path = textFlag(parseArguments(process.arguments), flag) ?? '';
      return path === '' || manifests.some((each) => mountsPath(each, path)) ? [] : [path];
    });
    return [...new Set([...paths, ...bare])];
  };
  return { migration: named('leader-migration-config'), cloudConfig: named('cloud-config') };
}

function mountsPath(manifest: ManagerManifest, path: string): boolean {
  return mountedFile(manifest, path).kind !== 'other';
}

/** The manifest in a file; none when it is absent or cannot be read as one. */
export function manifestOf(file: FileReading): readonly ManagerManifest[] {
  if (file.kind !== 'text') return [];
  const result = knownManifest(file.text);
  return result.kind === 'read' ? [result.manifest] : [];
}
