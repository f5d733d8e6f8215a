import { parseArguments, textFlag } from '../../domain/documents/arguments.js';
import { problemLine } from '../../domain/documents/fields.js';
import type { FileContent } from '../../domain/documents/manager-arguments.js';
import type { ManagerManifest } from '../../domain/documents/manifest.js';
import { knownConfig, knownManifest } from './known-manifests.js';
import { digestText } from '../../domain/digest.js';
import type { ManagerConfig, ManifestState } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager } from '../../domain/vocabulary.js';
import { shortHash } from '../node-paths.js';
import type { HostProcess } from '../ports.js';
import { manifestOf, mountedFile } from './mounted-paths.js';
import type { FileReading, SlotFiles } from './readings.js';

/** Files that settings depend on, as far as they were read. */
export interface SettingFiles {
  /** Leader Migration files by path on the host. */
  readonly migrationFiles: ReadonlyMap<string, FileReading>;
  /** Digests of cloud configurations by path on the host; their text is never read. */
  readonly cloudConfigHashes: ReadonlyMap<string, string>;
  /** Texts of ConfigMaps by `name/key`. */
  readonly configMaps: ReadonlyMap<string, string>;
}

export interface ReaderSources extends SettingFiles {
  readonly policy: MigrationPolicy;
  readonly slots: Readonly<Record<Manager, SlotFiles>> | null;
  /** Images of the managers' pods on this node. */
  readonly images: ReadonlyMap<Manager, string>;
  /** The CCM's workload, where one exists. */
  readonly workload: ManagerManifest | null;
}

/** Understands the manifests and processes of one node. */
export interface ManifestReader {
  /** Text of a manifest → its state, `unknown` with the first problem when it cannot be read. */
  read(manager: Manager, text: string, as: (config: ManagerConfig) => ManifestState): ManifestState;
  /** A process with its effective settings. */
  running(process: HostProcess): ManagerConfig;
}

export function manifestReaderFor(sources: ReaderSources): ManifestReader {
  return {
    read: (manager, text, as) => {
      const result = knownManifest(text);
      if (result.kind === 'read') return as(manifestConfig(manager, result.manifest, sources));
      const [first] = result.problems;
      const why = first === undefined ? 'it cannot be read' : problemLine(first);
      return { state: 'unknown', why: `the ${manager} manifest: ${why}` };
    },
    running: (process) => runningConfig(process, sources),
  };
}

/** Settings that a manager started from this manifest would run with. */
export function manifestConfig(
  manager: Manager,
  manifest: ManagerManifest,
  sources: SettingFiles & { readonly policy: MigrationPolicy },
): ManagerConfig {
  const { image, arguments: words } = manifest;
  return configOf({ manager, image, words, startedAtMs: Infinity }, [manifest], sources);
}

/**
 * Settings of a process: its own arguments, with files found through the mounts of the manifests on this node that may have
 * started it. The image is that of a manifest with the same arguments, else that of its pod.
 */
function runningConfig(process: HostProcess, sources: ReaderSources): ManagerConfig {
  const candidates = candidatesFor(process.manager, sources);
  const same = candidates.find((manifest) => sameWords(manifest.arguments, process.arguments));
  const image = same?.image ?? sources.images.get(process.manager) ?? '';
  const mounted = same === undefined ? candidates : [same, ...candidates];
  const { manager, arguments: words, startedAtMs } = process;
  return configOf({ manager, image, words, startedAtMs }, mounted, sources);
}

function candidatesFor(manager: Manager, { slots, workload }: ReaderSources): ManagerManifest[] {
  const files = slots === null ? [] : Object.values(slots[manager] satisfies SlotFiles);
  const manifests = files.flatMap((file: FileReading) => manifestOf(file));
  return manager === 'ccm' && workload !== null ? [...manifests, workload] : manifests;
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}

/** A manager with its arguments; one not started yet will start after all changes of its files. */
interface Start {
  readonly manager: Manager;
  readonly image: string;
  readonly words: readonly string[];
  readonly startedAtMs: number;
}

function configOf(
  { manager, image, words, startedAtMs }: Start,
  manifests: readonly ManagerManifest[],
  sources: SettingFiles & { readonly policy: MigrationPolicy },
): ManagerConfig {
  const flags = parseArguments(words);
  const path = textFlag(flags, 'leader-migration-config') ?? '';
  const file = path === '' ? null : fileAt(path, manifests, sources);
  const cloudPath = textFlag(flags, 'cloud-config') ?? '';
  const cloudHash = cloudPath === '' ? null : cloudConfigHash(cloudPath, manifests, sources);
  const ours = manager === 'ccm' && image === sources.policy.ccm.image;
  const config = knownConfig({
    manager,
    image,
    arguments: words,
    leaderMigrationFile: file === null ? null : contentOf(file),
    ...(ours
      ? {
          versionHint: sources.policy.ccm.version,
          leaderMigrationSupport: sources.policy.ccm.leaderMigration,
        }
      : {}),
  });
  const settled = cloudHash === null ? config : { ...config, cloudConfigHash: cloudHash };
  return file === null ? settled : judgedByAge(settled, { path, file, startedAtMs });
}

function fileAt(
  path: string,
  manifests: readonly ManagerManifest[],
  { migrationFiles, configMaps }: SettingFiles,
): FileReading {
  for (const manifest of manifests) {
    const file = mountedFile(manifest, path);
    if (file.kind === 'host') return migrationFiles.get(file.path) ?? { kind: 'absent' };
    if (file.kind === 'configMap') return configMapFile(file, configMaps);
  }
  return migrationFiles.get(path) ?? { kind: 'absent' };
}

/** Our ConfigMaps have one key, named by content: a process of an older template still finds its own. */
function configMapFile(
  { name, key }: { readonly name: string; readonly key: string },
  configMaps: ReadonlyMap<string, string>,
): FileReading {
  const other = [...configMaps].find(([path]) => path.endsWith(`/${key}`) && key !== '');
  const text = configMaps.get(`${name}/${key}`) ?? other?.[1];
  if (text === undefined) return { kind: 'absent' };
  return { kind: 'text', text, hash: digestText(text), changedAtMs: null };
}

function contentOf(file: FileReading): FileContent {
  return file.kind === 'text' ? { text: file.text } : { missing: true };
}

/**
 * A manager reads its file once, at its start (P20), so later content is not in effect. A file named by its content must
 * still have that content. One under another name (hand-made clusters) must not have changed since the process started; a
 * ConfigMap key is trusted, because its time of change is unknown.
 */
function judgedByAge(
  config: ManagerConfig,
  { path, file, startedAtMs }: { path: string; file: FileReading; startedAtMs: number },
): ManagerConfig {
  if (config.leaderMigration.kind !== 'on' || file.kind !== 'text') return config;
  const why = newerThanProcess(path, file, startedAtMs);
  return why === null ? config : { ...config, leaderMigration: { kind: 'unreadable', why } };
}

/** Why the file is not, or may not be, what the process read at its start; null when it is. */
function newerThanProcess(
  path: string,
  { hash, changedAtMs }: Extract<FileReading, { readonly kind: 'text' }>,
  startedAtMs: number,
): string | null {
  const named = /leader-migration-([0-9a-f]{12})\b/.exec(path)?.[1];
  if (named !== undefined) {
    const told = `${path} has other content than its name states`;
    return shortHash(hash) === named ? null : `${told}: it changed after the process started`;
  }
  if (changedAtMs === null || changedAtMs <= startedAtMs) return null;
  const at = new Date(changedAtMs).toISOString();
  const restart = 'check its content, and restart the manager';
  return `${path} changed at ${at}, after the process had read it, so the effective settings are unknown: ${restart}`;
}

function cloudConfigHash(
  path: string,
  manifests: readonly ManagerManifest[],
  { cloudConfigHashes }: SettingFiles,
): string | null {
  for (const manifest of manifests) {
    const file = mountedFile(manifest, path);
    if (file.kind === 'host') return cloudConfigHashes.get(file.path) ?? `missing:${path}`;
  }
  return null;
}
