import { LARGEST_DOCUMENT } from '../yaml/bounds.js';
import { FieldReader } from '../yaml/fields.js';
import type { FieldProblem, TreeEntry, TreeNode, UnreadableText } from '../yaml/tree.js';
import { memberOf, readTree } from '../yaml/tree.js';
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
  { readonly kind: 'parsed'; readonly file: LeaderMigrationFile } | UnreadableText;

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
  if (tree.kind === 'invalid') return tree;
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

class FileReader extends FieldReader {
  readonly #minor: number;
  readonly #strict: boolean;

  constructor(minor: number, strict: boolean) {
    super();
    this.#minor = minor;
    this.#strict = strict;
  }

  read(root: TreeNode): ParsedLeaderMigration {
    const fileVersion = this.#fileVersion(root);
    if (fileVersion === null) return { kind: 'invalid', problems: this.problems };
    const known = ['apiVersion', 'kind', 'leaderName', 'controllerLeaders'];
    this.#check(root, [...known, ...(hasResourceLock(fileVersion) ? ['resourceLock'] : [])]);
    const leaderName = this.#required(memberOf(root, 'leaderName'));
    if (hasResourceLock(fileVersion)) this.#resourceLock(memberOf(root, 'resourceLock'));
    const entries = this.#leaders(memberOf(root, 'controllerLeaders'));
    return this.problems.length > 0
      ? { kind: 'invalid', problems: this.problems }
      : { kind: 'parsed', file: { fileVersion, leaderName, entries } };
  }

  /** Checked first, as the decoder does: without it no field has a meaning. */
  #fileVersion(root: TreeNode): FileVersion | null {
    const [apiVersion, kind] = [
      textOf(memberOf(root, 'apiVersion')),
      textOf(memberOf(root, 'kind')),
    ];
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

  #none(root: TreeNode, path: string, message: string): null {
    this.refuse({ ...root, path }, message);
    return null;
  }

  #check(node: TreeNode, known: readonly string[]): void {
    if (node.kind !== 'map') this.refuse(node, 'must be a map of fields');
    else if (this.#strict) this.#strictProblems(node.entries, known);
  }

  #strictProblems(entries: readonly TreeEntry[], known: readonly string[]): void {
    const seen = new Set<string>();
    for (const { key, value, line, column } of entries) {
      const at = { line, column, path: value.path };
      if (seen.has(key)) this.refuse(at, 'is given twice');
      else if (!known.includes(key)) this.refuse(at, unknownField(key));
      seen.add(key);
    }
  }

  #required(node: TreeNode): string {
    const text = textOf(node);
    const isText = ['text', 'null', 'absent'].includes(node.kind);
    if (text === '') this.refuse(node, isText ? 'must not be empty' : 'must be text');
    return text;
  }

  /** Endpoints locks pass upstream's validation; client-go 0.24 refuses to build one, after the main lock is won. */
  #resourceLock(node: TreeNode): void {
    const lock = this.#required(node);
    if (lock === '' || lock === 'leases') return;
    const why =
      lock === 'endpoints' ? 'an endpoints lock is not shared with a Lease' : `is ${quoted(lock)}`;
    this.refuse(node, `must be leases: ${why}`);
  }

  #leaders(node: TreeNode): LeaderEntry[] {
    return this.items(node).map((item, index, items) => {
      this.#check(item, ['name', 'component']);
      if (isSplit(items, index)) {
        this.refuse(item, SPLIT_ENTRY);
        return { name: '', component: '' };
      }
      return {
        name: this.#required(memberOf(item, 'name')),
        component: this.#required(memberOf(item, 'component')),
      };
    });
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

function textOf(node: TreeNode): string {
  return node.kind === 'text' ? node.value : '';
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
