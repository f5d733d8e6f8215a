import { parseArguments, textFlag } from '../managers/arguments.js';
import type { FieldReader } from '../yaml/fields.js';
import { readFields } from '../yaml/fields.js';
import type { TreeNode, UnreadableText } from '../yaml/tree.js';
import type { Path } from '../yaml/yaml-edit.js';
import { YamlEdit, removeNamed, setNamed } from '../yaml/yaml-edit.js';
import type { ManagerManifest } from './manifest.js';

/**
 * Flags of the KCM that this migration changes and kubeadm writes from its ClusterConfiguration: the next `kubeadm upgrade`
 * rewrites the manifests from there.
 * Source: kubernetes/kubernetes cmd/kubeadm/app/phases/controlplane/manifests.go; kubeadm.k8s.io/v1beta3, v1beta4.
 */
const FOLLOWED = [
  'cloud-provider',
  'cloud-config',
  'enable-leader-migration',
  'leader-migration-config',
  'feature-gates',
  'controllers',
] as const;

/** Flags that kubeadm sets by itself; they need no entry of their own while the value is the same. */
const SET_BY_KUBEADM: Readonly<Record<string, string>> = {
  controllers: '*,bootstrapsigner,tokencleaner',
};

const EXTRA_ARGS: Path = ['controllerManager', 'extraArgs'];
const EXTRA_VOLUMES: Path = ['controllerManager', 'extraVolumes'];

export type ClusterConfigurationResult =
  { readonly kind: 'edited'; readonly text: string } | UnreadableText;

/** A file that kubeadm must mount into the KCM. */
export interface ExtraVolume {
  readonly name: string;
  readonly hostPath: string;
  readonly mountPath: string;
}

export interface ClusterConfigurationEdits {
  /** Extra arguments by name; null removes. */
  readonly extraArgs: Readonly<Record<string, string | null>>;
  readonly addVolumes: readonly ExtraVolume[];
  readonly removeVolumes: readonly string[];
}

/**
 * Edits `controllerManager` of a kubeadm ClusterConfiguration as a document. Extra arguments are a map up to
 * v1beta3 and a list of names and values from v1beta4.
 */
export function editClusterConfiguration(
  text: string,
  { extraArgs, addVolumes, removeVolumes }: ClusterConfigurationEdits,
): ClusterConfigurationResult {
  const before = readFields(text, readExtras);
  if (before.kind === 'invalid') return before;
  const edit = new YamlEdit(text);
  for (const [name, value] of Object.entries(extraArgs)) {
    if (before.value.listed) setListed(edit, name, value);
    else setMapped(edit, name, value);
  }
  for (const name of removeVolumes) removeNamed(edit, EXTRA_VOLUMES, name, 0);
  for (const volume of addVolumes) {
    setNamed(edit, EXTRA_VOLUMES, { ...volume, readOnly: true, pathType: 'File' });
  }
  return { kind: 'edited', text: edit.text() };
}

/** Brings a ClusterConfiguration in line with a KCM manifest, as far as this migration changes it. */
export function followManifest(
  text: string,
  manifest: ManagerManifest,
): ClusterConfigurationResult {
  const extras = readFields(text, readExtras);
  if (extras.kind === 'invalid') return extras;
  const before = extras.value;
  const wanted = wantedExtras(manifest);
  const foreign = before.volumes.filter(
    ({ name, mountPath }) =>
      wasFor(before, mountPath) && !wanted.volumes.some((v) => v.name === name),
  );
  return editClusterConfiguration(text, {
    extraArgs: Object.fromEntries(FOLLOWED.map((name) => [name, wanted.args.get(name) ?? null])),
    addVolumes: wanted.volumes.filter(
      (volume) => !before.volumes.some((v) => sameVolume(v, volume)),
    ),
    removeVolumes: foreign.map(({ name }) => name),
  });
}

/** Whether nothing would change if kubeadm rewrote this manifest; `unknown` when the configuration cannot be read. */
export function clusterConfigurationFollows(
  text: string,
  manifest: ManagerManifest,
): 'yes' | 'no' | 'unknown' {
  const result = followManifest(text, manifest);
  if (result.kind === 'invalid') return 'unknown';
  return result.text === text ? 'yes' : 'no';
}

interface Extras {
  readonly listed: boolean;
  readonly args: ReadonlyMap<string, string>;
  readonly volumes: readonly ExtraVolume[];
}

function readExtras(reader: FieldReader, root: TreeNode): Extras {
  const kind = reader.field(root, 'kind');
  if (reader.text(kind) !== 'ClusterConfiguration') {
    reader.refuse(kind, 'must be ClusterConfiguration');
  }
  const version = reader.text(reader.field(root, 'apiVersion'));
  const listed = /^kubeadm\.k8s\.io\/v1beta(?:[4-9]|\d\d)$/.test(version);
  const manager = reader.field(root, 'controllerManager');
  const field = reader.field(manager, 'extraArgs');
  const args = listed
    ? reader
        .items(field)
        .map((item): [string, string] => [
          reader.text(reader.field(item, 'name')),
          reader.text(reader.field(item, 'value')),
        ])
    : Object.entries(reader.textMap(field));
  const volumes = reader.items(reader.field(manager, 'extraVolumes')).map((item) => ({
    name: reader.text(reader.field(item, 'name')),
    hostPath: reader.text(reader.field(item, 'hostPath')),
    mountPath: reader.text(reader.field(item, 'mountPath')),
  }));
  return { listed, args: new Map(args), volumes };
}

function sameVolume(a: ExtraVolume, b: ExtraVolume): boolean {
  return a.name === b.name && a.hostPath === b.hostPath && a.mountPath === b.mountPath;
}

/** Whether a volume exists for the file that one of the tracked flags names. */
function wasFor({ args }: Extras, mountPath: string): boolean {
  return (
    mountPath === args.get('cloud-config') || mountPath === args.get('leader-migration-config')
  );
}

function wantedExtras(manifest: ManagerManifest): {
  readonly args: ReadonlyMap<string, string>;
  readonly volumes: readonly ExtraVolume[];
} {
  const flags = parseArguments(manifest.arguments);
  const given = FOLLOWED.flatMap((name): [string, string][] => {
    const value = flags.some((flag) => flag.name === name)
      ? (textFlag(flags, name) ?? 'true')
      : null;
    return value === null || value === SET_BY_KUBEADM[name] ? [] : [[name, value]];
  });
  const args = new Map(given);
  const files = [args.get('cloud-config'), args.get('leader-migration-config')];
  const volumes = manifest.mounts
    .filter(({ path }) => files.includes(path))
    .flatMap(({ volume, path }) =>
      manifest.volumes.flatMap((source) =>
        source.kind === 'hostPath' && source.name === volume
          ? [{ name: volume, hostPath: source.path, mountPath: path }]
          : [],
      ),
    );
  return { args, volumes };
}

function setMapped(edit: YamlEdit, name: string, value: string | null): void {
  if (value === null) edit.remove([...EXTRA_ARGS, name], 0);
  else edit.set([...EXTRA_ARGS, name], value);
}

function setListed(edit: YamlEdit, name: string, value: string | null): void {
  if (value === null) removeNamed(edit, EXTRA_ARGS, name, 0);
  else setNamed(edit, EXTRA_ARGS, { name, value });
}
