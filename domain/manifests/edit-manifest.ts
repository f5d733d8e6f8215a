import type { Argument } from '../managers/arguments.js';
import { parseArguments } from '../managers/arguments.js';
import type { UnreadableText } from '../yaml/tree.js';
import type { Path } from '../yaml/yaml-edit.js';
import { YamlEdit, removeNamed, setNamed } from '../yaml/yaml-edit.js';
import type { ManagerManifest } from './manifest.js';
import { POD_TEMPLATES, readManagerManifest } from './manifest.js';

/** Changes to a manager's manifest. Applying the same twice changes nothing the second time. */
export interface ManifestEdits {
  readonly image?: string;
  /** Flags by name without dashes. Repeated ones become one. */
  readonly setArguments?: Readonly<Record<string, string>>;
  readonly removeArguments?: readonly string[];
  readonly mountFiles?: readonly FileMount[];
  /** Volumes to remove, with their mounts in the manager's container. */
  readonly removeVolumes?: readonly string[];
  /** Null removes. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** Labels of the pod; null removes. */
  readonly labels?: Readonly<Record<string, string | null>>;
  /** Any other fields of the document by path; null removes. */
  readonly fields?: readonly FieldEdit[];
}

export interface FileMount {
  readonly volume: string;
  /** A file on the node is mounted at this path; the keys of a ConfigMap as files below it. */
  readonly mountPath: string;
  readonly source: { readonly hostPath: string } | { readonly configMap: string };
}

export interface FieldEdit {
  readonly path: readonly string[];
  readonly value: string | boolean | null;
}

export type EditResult =
  | { readonly kind: 'edited'; readonly text: string; readonly manifest: ManagerManifest }
  | UnreadableText;

/** Edits the manifest of a controller manager as a document; `invalid` when it cannot be read. */
export function editManagerManifest(text: string, edits: ManifestEdits): EditResult {
  const before = readManagerManifest(text);
  if (before.kind === 'invalid') return before;
  const edit = new YamlEdit(text);
  const template: Path = POD_TEMPLATES[before.manifest.kind];
  const container = [...template, 'spec', 'containers', before.manifest.containerIndex];
  if (edits.image !== undefined) edit.set([...container, 'image'], edits.image);
  argumentEdits(edit, container, edits);
  volumeEdits(edit, [...template, 'spec'], container, edits);
  namedEdits(edit, [...container, 'env'], edits.env ?? {});
  for (const [name, value] of Object.entries(edits.labels ?? {})) {
    fieldEdit(edit, { path: [...templateArguments(template), 'metadata', 'labels', name], value });
  }
  for (const field of edits.fields ?? []) fieldEdit(edit, field);
  const edited = edit.text();
  const after = readManagerManifest(edited);
  return after.kind === 'invalid'
    ? after
    : { kind: 'edited', text: edited, manifest: after.manifest };
}

function templateArguments(template: Path): readonly string[] {
  return template.map(String);
}

function fieldEdit(edit: YamlEdit, { path, value }: FieldEdit): void {
  if (value === null) edit.remove(path, 1);
  else edit.set(path, value);
}

function volumeEdits(edit: YamlEdit, spec: Path, container: Path, edits: ManifestEdits): void {
  const [volumes, mounts] = [
    [...spec, 'volumes'],
    [...container, 'volumeMounts'],
  ];
  for (const volume of edits.removeVolumes ?? []) {
    for (const list of [volumes, mounts]) removeNamed(edit, list, volume, list.length - 1);
  }
  for (const { volume, mountPath, source } of edits.mountFiles ?? []) {
    const from =
      'hostPath' in source
        ? { hostPath: { path: source.hostPath, type: 'File' } }
        : { configMap: { name: source.configMap } };
    setNamed(edit, volumes, { name: volume, ...from });
    setNamed(edit, mounts, { name: volume, mountPath, readOnly: true });
  }
}

function namedEdits(
  edit: YamlEdit,
  list: Path,
  wanted: Readonly<Record<string, string | null>>,
): void {
  for (const [name, value] of Object.entries(wanted)) {
    if (value === null) removeNamed(edit, list, name, list.length - 1);
    else setNamed(edit, list, { name, value });
  }
}

/** An element of `command` or `args`, with its position. */
interface Word {
  readonly text: string;
  readonly path: Path;
}

/** Flags to set and to remove, by name without dashes. */
interface ArgumentEdits {
  readonly setArguments?: Readonly<Record<string, string>>;
  readonly removeArguments?: readonly string[];
}

/** Edits flags in `command` and `args`, in either spelling, where they are. */
function argumentEdits(
  edit: YamlEdit,
  container: Path,
  { setArguments = {}, removeArguments = [] }: ArgumentEdits,
): void {
  for (const name of removeArguments) removeAll(edit, container, named(edit, container, name));
  for (const [name, value] of Object.entries(setArguments)) {
    const [first, ...rest] = named(edit, container, name);
    if (first === undefined) {
      edit.append(flagList(edit, container), `--${name}=${value}`);
      continue;
    }
    removeAll(edit, container, rest);
    if ((first.value ?? 'true') !== value) replace(edit, container, first, `--${name}=${value}`);
  }
}

function named(edit: YamlEdit, container: Path, name: string): readonly Argument[] {
  const found = parseArguments(words(edit, container).map(({ text }) => text));
  return found.filter((argument) => argument.name === name);
}

function words(edit: YamlEdit, container: Path): readonly Word[] {
  return ['command', 'args'].flatMap((key) => {
    const list = [...container, key];
    return Array.from({ length: edit.length(list) }, (_, index): Word => {
      const path = [...list, index];
      return { text: String(edit.get(path)), path };
    });
  });
}

function replace(edit: YamlEdit, container: Path, argument: Argument, text: string): void {
  const places = wordsOf(edit, container, argument).map(({ path }, index) => ({ path, index }));
  for (const { path, index } of places.toReversed()) {
    if (index === 0) edit.set(path, text);
    else edit.remove(path, container.length + 1);
  }
}

/** From the end, so that the positions of those still to be removed stay valid. */
function removeAll(edit: YamlEdit, container: Path, found: readonly Argument[]): void {
  const gone = found.flatMap((argument) => wordsOf(edit, container, argument));
  for (const { path } of gone.toReversed()) edit.remove(path, container.length);
}

function wordsOf(edit: YamlEdit, container: Path, { index, tokens }: Argument): readonly Word[] {
  return words(edit, container).slice(index, index + tokens);
}

/** New flags go where the existing ones are: `args` unless all flags stand in `command`. */
function flagList(edit: YamlEdit, container: Path): Path {
  const inArgs = edit.length([...container, 'args']) > 0;
  return [
    ...container,
    inArgs || edit.length([...container, 'command']) === 0 ? 'args' : 'command',
  ];
}
