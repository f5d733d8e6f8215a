import { LARGEST_DOCUMENT } from '../yaml/bounds.js';
import type { FieldProblem } from '../yaml/fields.js';
import type { TextPosition } from '../yaml/parsed-documents.js';
import type { TreeEntry, TreeNode } from '../yaml/tree.js';
import { readTree } from '../yaml/tree.js';
import { firstDocument } from '../yaml/yaml-edit.js';
import type { LeaderEntry } from './controller-names.js';
import { minorOf } from './minors.js';

/** A Leader Migration file as a binary understands it. */
export interface LeaderMigrationFile {
  readonly fileVersion: FileVersion;
  readonly leaderName: string;
  readonly entries: readonly LeaderEntry[];
}

export type ParsedLeaderMigration =
  | { readonly kind: 'parsed'; readonly file: LeaderMigrationFile }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] };

/**
 * `asReader`: unknown and repeated fields are problems only where that binary refuses them, and documents after the first
 * never are. `strict`: always.
 */
export type Strictness = 'asReader' | 'strict';

/**
 * Reads a LeaderMigrationConfiguration as a binary of `minor` does, but returns all problems with their paths.
 * Like upstream it does not check whether the names exist: unknown ones match nothing (see `dispositions`).
 * Source: k8s.io/controller-manager pkg/leadermigration/config/config.go v0.21 to v0.36.
 */
export function parseLeaderMigration(
  whole: string,
  minor: number,
  strictness: Strictness = 'asReader',
): ParsedLeaderMigration {
  const isLong = whole.length > LARGEST_DOCUMENT;
  const text = strictness === 'strict' || isLong ? whole : firstDocument(whole);
  const tab = isLong ? null : tabProblem(text);
  if (tab !== null) return { kind: 'invalid', problems: [tab] };
  const tree = readTree(text);
  if (tree.kind === 'invalid') {
    return { kind: 'invalid', problems: tree.problems.map((p) => ({ ...p, path: '' })) };
  }
  const strict = strictness === 'strict' || minor >= STRICT_SINCE_MINOR;
  return new FileReader(minor, strict).read(tree.root);
}

/** Kubernetes' YAML reader refuses a tab in the indentation, even of a comment; ours would accept that one. */
function tabProblem(text: string): FieldProblem | null {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^ *\t/.test(line));
  const column = (lines[at]?.indexOf('\t') ?? 0) + 1;
  const message =
    'a tab is not valid indentation in YAML, and the manager does not start: use spaces';
  return at === -1 ? null : { line: at + 1, column, path: '', message };
}

class FileReader {
  readonly #problems: FieldProblem[] = [];
  readonly #minor: number;
  readonly #strict: boolean;

  constructor(minor: number, strict: boolean) {
    this.#minor = minor;
    this.#strict = strict;
  }

  read(root: TreeNode): ParsedLeaderMigration {
    const fileVersion = this.#fileVersion(root);
    if (fileVersion === null) return { kind: 'invalid', problems: this.#problems };
    const known = ['apiVersion', 'kind', 'leaderName', 'controllerLeaders'];
    const fields = this.#fields(root, '', [
      ...known,
      ...(hasResourceLock(fileVersion) ? ['resourceLock'] : []),
    ]);
    const leaderName = this.#required(fields.get('leaderName'), root, 'leaderName');
    if (hasResourceLock(fileVersion)) this.#resourceLock(fields.get('resourceLock'), root);
    const entries = this.#entries(fields.get('controllerLeaders'));
    return this.#problems.length > 0
      ? { kind: 'invalid', problems: this.#problems }
      : { kind: 'parsed', file: { fileVersion, leaderName, entries } };
  }

  /** Checked first, as the decoder does: without it no field has a meaning. */
  #fileVersion(root: TreeNode): FileVersion | null {
    const entries = root.kind === 'map' ? root.entries : [];
    const text = (key: string): string => textOf(entries.findLast((e) => e.key === key)?.value);
    const [apiVersion, kind] = [text('apiVersion'), text('kind')];
    if (kind !== KIND) return this.#none(root, 'kind', `must be ${KIND}, not ${quoted(kind)}`);
    const version = fileVersionOf(apiVersion);
    if (version === null) {
      const versions = Object.keys(FILE_VERSIONS).join(', ');
      const message = `must be ${GROUP}/ with one of ${versions}, not ${quoted(apiVersion)}`;
      return this.#none(root, 'apiVersion', message);
    }
    const since = FILE_VERSIONS[version];
    return this.#minor >= since
      ? version
      : this.#none(
          root,
          'apiVersion',
          `${version} is read from 1.${since}, not by 1.${this.#minor}`,
        );
  }

  #none(at: TextPosition, path: string, message: string): null {
    this.#refuse(at, path, message);
    return null;
  }

  #refuse({ line, column }: TextPosition, path: string, message: string): void {
    this.#problems.push({ line, column, path, message });
  }

  /** The fields of a map by name, with the last value of a repeated one, as JSON decoding in Go does. */
  #fields(node: TreeNode, path: string, known: readonly string[]): ReadonlyMap<string, TreeNode> {
    if (node.kind !== 'map') {
      this.#refuse(node, path, 'must be a map of fields');
      return new Map();
    }
    if (this.#strict) this.#strictProblems(node.entries, path, known);
    return new Map(node.entries.map(({ key, value }) => [key, value]));
  }

  #strictProblems(entries: readonly TreeEntry[], path: string, known: readonly string[]): void {
    const seen = new Set<string>();
    for (const entry of entries) {
      const at = join(path, entry.key);
      if (seen.has(entry.key)) this.#refuse(entry, at, 'is given twice');
      else if (!known.includes(entry.key)) this.#refuse(entry, at, unknownField(entry.key));
      seen.add(entry.key);
    }
  }

  #required(node: TreeNode | undefined, parent: TextPosition, path: string): string {
    if (node !== undefined && node.kind !== 'text' && node.kind !== 'null') {
      this.#refuse(node, path, 'must be text');
      return '';
    }
    const text = textOf(node);
    if (text === '') this.#refuse(node ?? parent, path, 'must not be empty');
    return text;
  }

  /** Endpoints locks pass upstream's validation; client-go 0.24 refuses to build one, after the main lock is won. */
  #resourceLock(node: TreeNode | undefined, parent: TextPosition): void {
    const lock = this.#required(node, parent, 'resourceLock');
    if (node === undefined || lock === '' || lock === 'leases') return;
    const why =
      lock === 'endpoints' ? 'an endpoints lock is not shared with a Lease' : `is ${quoted(lock)}`;
    this.#refuse(node, 'resourceLock', `must be leases: ${why}`);
  }

  #entries(node: TreeNode | undefined): LeaderEntry[] {
    if (node === undefined || node.kind === 'null') return [];
    if (node.kind !== 'list') {
      this.#refuse(node, 'controllerLeaders', 'must be a list');
      return [];
    }
    return node.items.map((item, index) => this.#entry(item, node.items, index));
  }

  #entry(item: TreeNode, items: readonly TreeNode[], index: number): LeaderEntry {
    const path = `controllerLeaders[${index}]`;
    const fields = this.#fields(item, path, ['name', 'component']);
    const [name, component] = [fields.get('name'), fields.get('component')];
    if (isSplit(items, index)) {
      this.#refuse(item, path, SPLIT_ENTRY);
      return { name: '', component: '' };
    }
    return {
      name: this.#required(name, item, join(path, 'name')),
      component: this.#required(component, item, join(path, 'component')),
    };
  }
}

const SPLIT_ENTRY =
  'has only a name, and the next entry only a component: remove the dash before component, or the manager does not start';

/** The guide's node IPAM example: `- name: nodeipam` and then `- component: *` as an entry of its own. */
function isSplit(items: readonly TreeNode[], index: number): boolean {
  const keys = (at: number): string => {
    const node = items[at];
    return node?.kind === 'map' ? node.entries.map((entry) => entry.key).join() : '';
  };
  return keys(index) === 'name' && keys(index + 1) === 'component';
}

function unknownField(key: string): string {
  return key === 'resourceLock'
    ? 'does not exist in v1 (always a Lease): remove it, or use v1beta1'
    : 'is not a known field';
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function textOf(node: TreeNode | undefined): string {
  return node?.kind === 'text' ? node.value : '';
}

function quoted(text: string): string {
  return text === '' ? 'empty' : JSON.stringify(text);
}

/** API group of the file format; it is never an object of the API server (KEP-2436). */
export const GROUP = 'controllermanager.config.k8s.io';
export const KIND = 'LeaderMigrationConfiguration';

/** The versions of the file and the first minor that decodes each. Source: k8s.io/controller-manager config/{v1alpha1,v1beta1,v1}. */
const FILE_VERSIONS = { v1alpha1: 21, v1beta1: 22, v1: 24 } as const;

export type FileVersion = keyof typeof FILE_VERSIONS;

/**
 * From this minor on, unknown or repeated fields make the process exit. Source: pkg/leadermigration/config/config.go
 * v0.31, v0.32.
 */
const STRICT_SINCE_MINOR = 32;

/** The newest version that a binary of this minor decodes; null before Leader Migration existed. */
export function fileVersionFor(minor: number): FileVersion | null {
  if (minor >= FILE_VERSIONS.v1) return 'v1';
  if (minor >= FILE_VERSIONS.v1beta1) return 'v1beta1';
  return minor >= FILE_VERSIONS.v1alpha1 ? 'v1alpha1' : null;
}

/** `v1` has no `resourceLock`: it is always a Lease. In older versions the field is required and has no default. */
export function hasResourceLock(version: FileVersion): boolean {
  return version !== 'v1';
}

function fileVersionOf(apiVersion: string): FileVersion | null {
  const version = apiVersion.startsWith(`${GROUP}/`) ? apiVersion.slice(GROUP.length + 1) : '';
  return isFileVersion(version) ? version : null;
}

function isFileVersion(version: string): version is FileVersion {
  return Object.hasOwn(FILE_VERSIONS, version);
}

/** Minor of the binary that reads a file, from its version text. */
export function readerMinor(version: string): number | null {
  const minor = minorOf(version);
  return minor !== null && fileVersionFor(minor) !== null ? minor : null;
}
