import type { FieldReader } from '../yaml/fields.js';
import { readFields } from '../yaml/fields.js';
import type { TreeNode, UnreadableText } from '../yaml/tree.js';

/** What a manager's manifest says, as far as this migration reads it. */
export interface ManagerManifest extends ManagerContainer {
  readonly kind: 'Pod' | 'DaemonSet' | 'Deployment';
  readonly name: string;
  readonly namespace: string;
  /** Labels of the pod. */
  readonly labels: Readonly<Record<string, string>>;
  readonly volumes: readonly VolumeSource[];
  readonly hostNetwork: boolean;
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly serviceAccountName: string;
  /** Of a DaemonSet; empty when unset. */
  readonly updateStrategy: string;
}

/** The one container that runs the manager. */
interface ManagerContainer {
  readonly container: string;
  /** Index in `containers`. */
  readonly containerIndex: number;
  readonly image: string;
  /** `command` and `args` without the program, references to literal environment variables filled in. */
  readonly arguments: readonly string[];
  readonly mounts: readonly VolumeMount[];
  readonly env: Readonly<Record<string, string>>;
}

interface VolumeMount {
  readonly volume: string;
  readonly path: string;
  /** What of the volume is mounted; empty for all of it. */
  readonly subPath: string;
  readonly readOnly: boolean;
}

type VolumeSource =
  | { readonly kind: 'hostPath'; readonly name: string; readonly path: string }
  | { readonly kind: 'configMap'; readonly name: string; readonly configMap: string }
  | { readonly kind: 'other'; readonly name: string };

interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

const SHELL = /(?:^|\/)(?:sh|bash|ash|dash|env)$/;

/**
 * The container that runs a controller manager: the only one, or the only one whose name or arguments name it. Null, with a
 * problem, when that is ambiguous or its flags cannot be edited.
 */
function chooseContainer(reader: FieldReader, containers: TreeNode): ManagerContainer | null {
  const all = reader.items(containers);
  const index = all.length === 1 ? 0 : onlyManager(reader, all);
  const chosen = all[index];
  if (chosen === undefined) {
    reader.refuse(containers, 'must hold exactly one container that runs a controller manager');
    return null;
  }
  return readContainer(reader, chosen, index);
}

function onlyManager(reader: FieldReader, all: readonly TreeNode[]): number {
  const matches = all.flatMap((container, index) =>
    namesManager(reader, container) ? [index] : [],
  );
  const [first = -1, ...rest] = matches;
  return rest.length === 0 ? first : -1;
}

function namesManager(reader: FieldReader, container: TreeNode): boolean {
  const words = [reader.text(reader.field(container, 'name')), ...allWords(reader, container)];
  return words.some((word) => /(?:kube|cloud)-controller-manager$/.test(word));
}

function allWords(reader: FieldReader, container: TreeNode): readonly string[] {
  return [
    ...reader.texts(reader.field(container, 'command')),
    ...reader.texts(reader.field(container, 'args')),
  ];
}

function readContainer(reader: FieldReader, container: TreeNode, index: number): ManagerContainer {
  const imageField = reader.field(container, 'image');
  const image = reader.text(imageField);
  if (image === '') reader.refuse(imageField, 'must not be empty');
  const env = readEnv(reader, reader.field(container, 'env'));
  return {
    container: reader.text(reader.field(container, 'name')),
    containerIndex: index,
    image,
    arguments: flags(reader, container).map((word) => filledIn(word, env)),
    mounts: reader.items(reader.field(container, 'volumeMounts')).map((m) => mount(reader, m)),
    env,
  };
}

/** Everything after the program; when the image's entry point is the program, there are only flags. */
function flags(reader: FieldReader, container: TreeNode): readonly string[] {
  const words = allWords(reader, container);
  const program = words[0] ?? '';
  if (SHELL.test(program)) {
    reader.refuse(
      reader.field(container, 'command'),
      'runs the manager in a shell, so its flags cannot be read: list each flag as a separate argument',
    );
  }
  if (words.includes('--')) {
    reader.refuse(reader.field(container, 'command'), 'must not hold --: what follows is ignored');
  }
  return program.startsWith('-') ? words : words.slice(1);
}

/** `$(NAME)` as the kubelet expands it; `$$(NAME)` stays, unknown names stay. Source: kubernetes/kubernetes third_party/forked/golang/expansion. */
function filledIn(word: string, env: Readonly<Record<string, string>>): string {
  return word.replace(/\$\$|\$\(([^)]+)\)/g, (all: string, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? all),
  );
}

function readEnv(reader: FieldReader, field: TreeNode): Readonly<Record<string, string>> {
  const pairs = reader
    .items(field)
    .filter((item) => reader.keys(item).includes('value'))
    .map((item): [string, string] => [
      reader.text(reader.field(item, 'name')),
      reader.text(reader.field(item, 'value')),
    ]);
  return Object.fromEntries(pairs);
}

function mount(reader: FieldReader, item: TreeNode): VolumeMount {
  return {
    volume: reader.text(reader.field(item, 'name')),
    path: reader.text(reader.field(item, 'mountPath')),
    subPath: reader.text(reader.field(item, 'subPath')),
    readOnly: reader.flag(reader.field(item, 'readOnly')),
  };
}

export type ManifestResult =
  { readonly kind: 'read'; readonly manifest: ManagerManifest } | UnreadableText;

/** Path of the pod template in each kind. */
export const POD_TEMPLATES = {
  Pod: [],
  DaemonSet: ['spec', 'template'],
  Deployment: ['spec', 'template'],
} as const;

function isPodKind(kind: string): kind is keyof typeof POD_TEMPLATES {
  return Object.hasOwn(POD_TEMPLATES, kind);
}

/**
 * Reads the manifest of a controller manager strictly: one bounded YAML document, a Pod or the pod template
 * of a DaemonSet or Deployment, one container that runs a manager with its flags as separate words.
 * Unknown fields are left alone.
 */
export function readManagerManifest(text: string): ManifestResult {
  const result = readFields(text, read);
  return result.kind === 'read' ? { kind: 'read', manifest: result.value } : result;
}

function read(reader: FieldReader, root: TreeNode): ManagerManifest | null {
  const kindField = reader.field(root, 'kind');
  const kind = reader.text(kindField);
  if (!isPodKind(kind)) {
    reader.refuse(kindField, 'must be Pod, DaemonSet or Deployment');
    return null;
  }
  const pod = reader.field(root, ...POD_TEMPLATES[kind]);
  const spec = reader.field(pod, 'spec');
  const container = chooseContainer(reader, reader.field(spec, 'containers'));
  if (container === null) return null;
  return {
    kind,
    name: reader.text(reader.field(root, 'metadata', 'name')),
    namespace: reader.text(reader.field(root, 'metadata', 'namespace')) || 'default',
    labels: reader.textMap(reader.field(pod, 'metadata', 'labels')),
    ...container,
    volumes: reader.items(reader.field(spec, 'volumes')).map((item) => volume(reader, item)),
    hostNetwork: reader.flag(reader.field(spec, 'hostNetwork')),
    tolerations: reader.items(reader.field(spec, 'tolerations')).map((t) => toleration(reader, t)),
    nodeSelector: reader.textMap(reader.field(spec, 'nodeSelector')),
    serviceAccountName: reader.text(reader.field(spec, 'serviceAccountName')),
    updateStrategy: reader.text(reader.field(root, 'spec', 'updateStrategy', 'type')),
  };
}

function volume(reader: FieldReader, item: TreeNode): VolumeSource {
  const name = reader.text(reader.field(item, 'name'));
  const hostPath = reader.text(reader.field(item, 'hostPath', 'path'));
  const configMap = reader.text(reader.field(item, 'configMap', 'name'));
  if (hostPath !== '') return { kind: 'hostPath', name, path: hostPath };
  return configMap === '' ? { kind: 'other', name } : { kind: 'configMap', name, configMap };
}

function toleration(reader: FieldReader, item: TreeNode): Toleration {
  const text = (key: string): string => reader.text(reader.field(item, key));
  return {
    key: text('key'),
    operator: text('operator'),
    value: text('value'),
    effect: text('effect'),
  };
}
