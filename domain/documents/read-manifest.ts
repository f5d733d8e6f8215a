import type { Field, FieldProblem } from './fields.js';
import { FieldReader, repeatedKeys } from './fields.js';
import type { ManagerManifest, Toleration, VolumeSource } from './manifest.js';
import { chooseContainer } from './manifest-container.js';
import { readTree } from './tree.js';

export type ManifestResult =
  | { readonly kind: 'read'; readonly manifest: ManagerManifest }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] };

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
  const tree = readTree(text);
  if (tree.kind === 'invalid') {
    return {
      kind: 'invalid',
      problems: tree.problems.map((problem) => ({ ...problem, path: '' })),
    };
  }
  const reader = new FieldReader();
  reader.problems.push(...repeatedKeys(tree.root));
  const manifest = read(reader, { path: '', node: tree.root, at: tree.root });
  return manifest === null || reader.problems.length > 0
    ? { kind: 'invalid', problems: reader.problems }
    : { kind: 'read', manifest };
}

function read(reader: FieldReader, root: Field): ManagerManifest | null {
  const kindField = reader.field(root, 'kind');
  const kind = reader.text(kindField);
  if (!isPodKind(kind)) {
    reader.refuse(kindField, 'must be Pod, DaemonSet or Deployment');
    return null;
  }
  const pod = reader.at(root, ...POD_TEMPLATES[kind]);
  const spec = reader.field(pod, 'spec');
  const container = chooseContainer(reader, reader.field(spec, 'containers'));
  if (container === null) return null;
  return {
    kind,
    name: reader.text(reader.at(root, 'metadata', 'name')),
    namespace: reader.text(reader.at(root, 'metadata', 'namespace')) || 'default',
    labels: reader.textMap(reader.at(pod, 'metadata', 'labels')),
    ...container,
    volumes: reader.items(reader.field(spec, 'volumes')).map((item) => volume(reader, item)),
    hostNetwork: reader.flag(reader.field(spec, 'hostNetwork')),
    tolerations: reader.items(reader.field(spec, 'tolerations')).map((t) => toleration(reader, t)),
    nodeSelector: reader.textMap(reader.field(spec, 'nodeSelector')),
    serviceAccountName: reader.text(reader.field(spec, 'serviceAccountName')),
    updateStrategy: reader.text(reader.at(root, 'spec', 'updateStrategy', 'type')),
  };
}

function volume(reader: FieldReader, item: Field): VolumeSource {
  const name = reader.text(reader.field(item, 'name'));
  const hostPath = reader.text(reader.at(item, 'hostPath', 'path'));
  const configMap = reader.text(reader.at(item, 'configMap', 'name'));
  if (hostPath !== '') return { kind: 'hostPath', name, path: hostPath };
  return configMap === '' ? { kind: 'other', name } : { kind: 'configMap', name, configMap };
}

function toleration(reader: FieldReader, item: Field): Toleration {
  const text = (key: string): string => reader.text(reader.field(item, key));
  return {
    key: text('key'),
    operator: text('operator'),
    value: text('value'),
    effect: text('effect'),
  };
}
