import { digestText } from '../../domain/digest.js';
import { parseArguments, textFlag } from '../../domain/managers/arguments.js';
import type { FileContent } from '../../domain/managers/manager-arguments.js';
import { managerConfig } from '../../domain/managers/manager-arguments.js';
import type { ManagerManifest } from '../../domain/manifests/manifest.js';
import { readManagerManifest } from '../../domain/manifests/manifest.js';
import type { ManagerConfig, ManifestState } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager } from '../../domain/vocabulary.js';
import { problemLine } from '../../domain/yaml/tree.js';
import { shortHash } from '../node-paths.js';
import type { HostProcess } from '../ports.js';
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
  const same = candidates.find((manifest) => sameArguments(manifest.arguments, process.arguments));
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

function sameArguments(a: readonly string[], b: readonly string[]): boolean {
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

/** Room for the texts of a few hundred clusters, whose nodes mostly hold the same ones. In characters of the keys. */
const ROOM = 16 * 1024 * 1024;

/**
 * Reads a manifest, each text once: guards read the same files every few seconds, and parsing dominates an observation.
 */
export const knownManifest = memoizeByKey(readManagerManifest, (text) => text);

/** Settings of a manager, each set of arguments and files understood once. */
const knownConfig = memoizeByKey(managerConfig, (given) => JSON.stringify(given));

/**
 * Memoises a pure function. Drops everything when it grows too large: a node that changes its files at each observation must
 * not use up the memory of all clusters.
 */
export function memoizeByKey<Given, Answer>(
  answer: (given: Given) => Answer,
  keyOf: (given: Given) => string,
  room = ROOM,
): (given: Given) => Answer {
  const known = new Map<string, Answer>();
  let taken = 0;
  return (given) => {
    const key = keyOf(given);
    const before = known.get(key);
    if (before !== undefined) return before;
    const now = answer(given);
    taken += key.length;
    if (taken > room) {
      known.clear();
      taken = key.length;
    }
    if (key.length <= room) known.set(key, now);
    return now;
  };
}

/** Where a path inside the manager's container comes from. */
export type MountedFile =
  | { readonly kind: 'host'; readonly path: string }
  | { readonly kind: 'configMap'; readonly name: string; readonly key: string }
  /** A Secret, a projected volume, or the image itself: not ours to read. */
  | { readonly kind: 'other' };

/** Resolves a container path through the mounts of a manifest, the longest mount first. */
function mountedFile(manifest: ManagerManifest, path: string): MountedFile {
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
