import { digestText } from '../../domain/digest.js';
import { parseArguments, textFlag } from '../../domain/managers/arguments.js';
import type { ManagerCommand } from '../../domain/managers/manager-arguments.js';
import { managerConfig } from '../../domain/managers/manager-arguments.js';
import type { ManagerManifest } from '../../domain/manifests/manifest.js';
import { readManagerManifest } from '../../domain/manifests/manifest.js';
import { memoizeByKey } from '../../domain/memoize.js';
import type { ManagerConfig } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager } from '../../domain/vocabulary.js';
import { MANAGERS } from '../../domain/vocabulary.js';
import { folderOf, isPlainPath, manifestPlaces, shortHash } from '../node-paths.js';
import type { HostProcess, NodeFile, NodeRequest, NodeSnapshot } from '../ports.js';

/** What settings depend on beside manifests and arguments. */
export interface SettingSources {
  readonly policy: MigrationPolicy;
  /** Null where the manager is on no node: a workload's template, a recorded manifest. */
  readonly snapshot: NodeSnapshot | null;
  /** Texts of ConfigMaps by `name/key`. */
  readonly configMaps: ReadonlyMap<string, string>;
}

export interface ProcessSources extends SettingSources {
  readonly snapshot: NodeSnapshot;
  /** Images of the managers' pods on this node. */
  readonly images: ReadonlyMap<Manager, string>;
  /** The CCM's workload, where one exists. */
  readonly workload: ManagerManifest | null;
}

/** Settings that a manager started from this manifest would run with. */
export function manifestConfig(
  manager: Manager,
  manifest: ManagerManifest,
  sources: SettingSources,
): ManagerConfig {
  return configOf({ manager, command: manifest, startedAtMs: Infinity }, [manifest], sources);
}

/**
 * Settings of a process: its own arguments, with files found through the mounts of the manifests on this node that may have
 * started it. The image is that of a manifest with the same arguments, else that of its pod.
 */
export function runningConfig(process: HostProcess, sources: ProcessSources): ManagerConfig {
  const { manager, arguments: words, startedAtMs } = process;
  const candidates = candidatesFor(manager, sources);
  const same = candidates.find((manifest) => sameArguments(manifest.arguments, words));
  const image = same?.image ?? sources.images.get(manager) ?? '';
  const mounted = same === undefined ? candidates : [same, ...candidates];
  return configOf({ manager, command: { image, arguments: words }, startedAtMs }, mounted, sources);
}

function candidatesFor(
  manager: Manager,
  { snapshot, workload }: ProcessSources,
): readonly ManagerManifest[] {
  const manifests = manifestPlaces(manager).flatMap((path) => manifestAt(snapshot, path));
  return manager === 'ccm' && workload !== null ? [...manifests, workload] : manifests;
}

function sameArguments(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}

/** A manager and its command; one not started yet will start after all changes of its files. */
interface Start {
  readonly manager: Manager;
  readonly command: ManagerCommand;
  readonly startedAtMs: number;
}

function configOf(
  { manager, command, startedAtMs }: Start,
  manifests: readonly ManagerManifest[],
  sources: SettingSources,
): ManagerConfig {
  const { image, arguments: words } = command;
  const flags = parseArguments(words);
  const path = textFlag(flags, 'leader-migration-config') ?? '';
  const file = path === '' ? null : fileAt(path, manifests, sources);
  const { ccm } = sources.policy;
  const context = {
    leaderMigrationFile: file === undefined ? undefined : (file?.content ?? null),
    cloudConfigHash: cloudConfigHash(textFlag(flags, 'cloud-config') ?? '', manifests, sources),
    ...(manager === 'ccm' && image === ccm.image
      ? { versionHint: ccm.version, leaderMigrationSupport: ccm.leaderMigration }
      : {}),
  };
  const config = knownConfig([manager, { image, arguments: words }, context]);
  return judgedByAge(config, { path, file, startedAtMs });
}

type SettingFile = Pick<NodeFile, 'content' | 'hash' | 'changedAtMs'>;

/** Null when it is missing, undefined when its path is not one that a node is asked for. */
function fileAt(
  path: string,
  manifests: readonly ManagerManifest[],
  { snapshot, configMaps }: SettingSources,
): SettingFile | null | undefined {
  const onNode = (at: string): SettingFile | null | undefined =>
    isPlainPath(at) ? (snapshot?.files.get(at) ?? null) : undefined;
  for (const manifest of manifests) {
    const file = mountedFile(manifest, path);
    if (file.kind === 'host') return onNode(file.path);
    if (file.kind === 'configMap') return configMapFile(file, configMaps);
  }
  return onNode(path);
}

/** Our ConfigMaps have one key, named by content: a process of an older template still finds its own. */
function configMapFile(
  { name, key }: { readonly name: string; readonly key: string },
  configMaps: ReadonlyMap<string, string>,
): SettingFile | null {
  const other = [...configMaps].find(([path]) => path.endsWith(`/${key}`) && key !== '');
  const content = configMaps.get(`${name}/${key}`) ?? other?.[1];
  if (content === undefined) return null;
  return { content, hash: digestText(content), changedAtMs: UNKNOWN_CHANGE };
}

/** A ConfigMap key is trusted, because its time of change is unknown. */
const UNKNOWN_CHANGE = -Infinity;

/**
 * A manager reads its file once, at its start (P20), so later content is not in effect. A file named by its content must
 * still have that content. One under another name (hand-made clusters) must not have changed since the process started.
 */
function judgedByAge(
  config: ManagerConfig,
  {
    path,
    file,
    startedAtMs,
  }: { path: string; file: SettingFile | null | undefined; startedAtMs: number },
): ManagerConfig {
  if (config.leaderMigration.kind !== 'on' || file === null || file === undefined) return config;
  const why = newerThanProcess(path, file, startedAtMs);
  return why === null ? config : { ...config, leaderMigration: { kind: 'unreadable', why } };
}

/** Why the file is not, or may not be, what the process read at its start; null when it is. */
function newerThanProcess(
  path: string,
  { hash, changedAtMs }: SettingFile,
  startedAtMs: number,
): string | null {
  const named = /leader-migration-([0-9a-f]{12})\b/.exec(path)?.[1];
  if (named !== undefined) {
    const told = `${path} has other content than its name states`;
    return shortHash(hash) === named ? null : `${told}: it changed after the process started`;
  }
  if (changedAtMs <= startedAtMs) return null;
  const at = new Date(changedAtMs).toISOString();
  const restart = 'check its content, and restart the manager';
  return `${path} changed at ${at}, after the process had read it, so the effective settings are unknown: ${restart}`;
}

/** Of a file on the node; null when it is missing, undefined where the manager has it from elsewhere. */
function cloudConfigHash(
  path: string,
  manifests: readonly ManagerManifest[],
  { snapshot }: SettingSources,
): string | null | undefined {
  for (const manifest of manifests) {
    const file = mountedFile(manifest, path);
    if (file.kind !== 'host' || !isPlainPath(file.path)) continue;
    const listing = snapshot?.directories.get(folderOf(file.path)) ?? [];
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    return listing.findLast((item) => item.name === name)?.hash ?? null;
  }
  return undefined;
}

/**
 * Reads a manifest, each text once: guards read the same files every few seconds, and parsing dominates an observation.
 */
export const knownManifest = memoizeByKey(readManagerManifest, (text) => text);

/** Settings of a manager, each set of arguments and files understood once. */
const knownConfig = memoizeByKey(
  (given: Parameters<typeof managerConfig>) => managerConfig(...given),
  (given) => JSON.stringify(given),
);

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
  const below = path.slice(mount.path.replace(/\/$/, '').length);
  const rest = mount.subPath === '' ? below : `/${mount.subPath.replace(/\/$/, '')}${below}`;
  if (volume.kind === 'hostPath') {
    return { kind: 'host', path: `${volume.path.replace(/\/$/, '')}${rest}` };
  }
  if (volume.kind === 'configMap') {
    return { kind: 'configMap', name: volume.configMap, key: rest.replace(/^\//, '') };
  }
  return { kind: 'other' };
}

/**
 * What the managers of a node read by their own settings: Leader Migration files, and the folders of cloud configurations. A
 * cloud configuration may hold secrets: only its digest is read.
 */
export function filesNamedBy(snapshot: NodeSnapshot): NodeRequest {
  const { processes } = snapshot.host;
  const manifests = MANAGERS.flatMap(manifestPlaces).flatMap((path) => manifestAt(snapshot, path));
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
    // Asked for another path, a node would answer nothing at all; the settings of that manager alone are unreadable.
    return [...new Set([...paths, ...bare])].filter(isPlainPath);
  };
  return {
    files: named('leader-migration-config'),
    directories: [...new Set(named('cloud-config').map(folderOf))],
  };
}

function mountsPath(manifest: ManagerManifest, path: string): boolean {
  return mountedFile(manifest, path).kind !== 'other';
}

/** The manifest at a path of a node; none when it is absent or cannot be read as one. */
export function manifestAt({ files }: NodeSnapshot, path: string): readonly ManagerManifest[] {
  const file = files.get(path) ?? null;
  const result = file === null ? null : knownManifest(file.content);
  return result?.kind === 'read' ? [result.manifest] : [];
}
