import type { CompiledLeaderMigration } from '../managers/compile-leader-migration.js';
import { migrationConfigMapName } from '../managers/compile-leader-migration.js';
import { textFlag, parseArguments } from '../managers/arguments.js';
import type { FileMount, ManifestEdits } from './edit-manifest.js';
import type { ManagerManifest } from './manifest.js';
import type { LeaderMigrationConfigMap } from './rendered.js';
import {
  CONFIG_MAP_FOLDER,
  LEADER_MIGRATION_FOLDER,
  LEADER_MIGRATION_VOLUME,
  MANAGED_BY,
  MANAGED_BY_LABEL,
  SYSTEM_NAMESPACE,
} from './paths.js';

export interface MigrationParts {
  readonly files: Readonly<Record<string, string>>;
  readonly configMap: LeaderMigrationConfigMap | null;
}

export type MigrationEdits = Required<
  Pick<ManifestEdits, 'setArguments' | 'removeArguments' | 'mountFiles' | 'removeVolumes'>
>;

/** Edits that make a manifest run with this file, or without Leader Migration when there is none. */
export function migrationEdits(
  manifest: ManagerManifest,
  compiled: CompiledLeaderMigration | null,
): MigrationEdits {
  return compiled === null
    ? withoutLeaderMigration(manifest)
    : withLeaderMigration(manifest, compiled);
}

/** What must exist before the manifest: a file on the node, or for a workload a ConfigMap. */
export function migrationParts(
  manifest: ManagerManifest,
  compiled: CompiledLeaderMigration | null,
): MigrationParts {
  if (compiled === null) return { files: {}, configMap: null };
  return manifest.kind === 'Pod'
    ? { files: { [migrationPath(manifest, compiled)]: compiled.text }, configMap: null }
    : { files: {}, configMap: migrationConfigMap(compiled) };
}

/** Removes Leader Migration from a manifest: flags, file and mount, ours or foreign. */
function withoutLeaderMigration(manifest: ManagerManifest): MigrationEdits {
  return {
    setArguments: {},
    removeArguments: ['enable-leader-migration', 'leader-migration-config'],
    mountFiles: [],
    removeVolumes: migrationVolumes(manifest),
  };
}

/** Adds the compiled file to a manifest, replacing any other. */
function withLeaderMigration(
  manifest: ManagerManifest,
  compiled: CompiledLeaderMigration,
): MigrationEdits {
  const mount = migrationMount(manifest, compiled);
  return {
    setArguments: {
      'enable-leader-migration': 'true',
      'leader-migration-config': migrationPath(manifest, compiled),
    },
    removeArguments: [],
    mountFiles: [mount],
    removeVolumes: migrationVolumes(manifest).filter((volume) => volume !== mount.volume),
  };
}

/** Path of the file as the process sees it. */
function migrationPath(
  { kind }: Pick<ManagerManifest, 'kind'>,
  { fileName }: CompiledLeaderMigration,
): string {
  const folder = kind === 'Pod' ? LEADER_MIGRATION_FOLDER : CONFIG_MAP_FOLDER;
  return `${folder}/${fileName}`;
}

function migrationMount(manifest: ManagerManifest, compiled: CompiledLeaderMigration): FileMount {
  const path = migrationPath(manifest, compiled);
  const volume = LEADER_MIGRATION_VOLUME;
  return manifest.kind === 'Pod'
    ? { volume, mountPath: path, source: { hostPath: path } }
    : {
        volume,
        mountPath: CONFIG_MAP_FOLDER,
        source: { configMap: migrationConfigMapName(compiled) },
      };
}

function migrationConfigMap(compiled: CompiledLeaderMigration): LeaderMigrationConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: migrationConfigMapName(compiled),
      namespace: SYSTEM_NAMESPACE,
      labels: { [MANAGED_BY_LABEL]: MANAGED_BY },
    },
    data: { [compiled.fileName]: compiled.text },
    immutable: true,
  };
}

/** Our volume, and a foreign one that mounts just the file that the flag names. */
function migrationVolumes(manifest: ManagerManifest): readonly string[] {
  const path = textFlag(parseArguments(manifest.arguments), 'leader-migration-config');
  const mounted = manifest.mounts.filter((mount) => mount.path === path).map((m) => m.volume);
  return [...new Set([LEADER_MIGRATION_VOLUME, ...mounted])];
}
