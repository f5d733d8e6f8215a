import type { TextPosition, TextProblem } from './parsed-documents.js';
import type { TreeNode } from './tree.js';

/** A problem with the field it is in, for example `spec.containers[0].command[3]`. */
export interface FieldProblem extends TextProblem {
  readonly path: string;
}

/** `line:col: path: message`, as people read it. */
export function problemLine({ line, column, path, message }: FieldProblem): string {
  return `${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;
}

/** One part of a document with its path; absent parts are `undefined` nodes that remember where they would be. */
export interface Field {
  readonly path: string;
  readonly node: TreeNode | undefined;
  /** Where to point when the part is absent: its nearest parent. */
  readonly at: TextPosition;
}

/** Reads typed parts out of a tree and collects every problem. Absent and null parts are empty, as in Go. */
export class FieldReader {
  readonly problems: FieldProblem[] = [];

  refuse({ path, node, at }: Field, message: string): void {
    const { line, column } = node ?? at;
    this.problems.push({ line, column, path, message });
  }

  field(parent: Field, key: string): Field {
    const path = parent.path === '' ? key : `${parent.path}.${key}`;
    const found = this.#entries(parent).findLast((entry) => entry.key === key);
    return { path, node: found?.value, at: parent.node ?? parent.at };
  }

  at(parent: Field, ...keys: readonly string[]): Field {
    return keys.reduce((field, key) => this.field(field, key), parent);
  }

  items(parent: Field): readonly Field[] {
    const { node } = parent;
    if (node === undefined || node.kind === 'null') return [];
    if (node.kind !== 'list') {
      this.refuse(parent, 'must be a list');
      return [];
    }
    return node.items.map((item, index) => ({
      path: `${parent.path}[${index}]`,
      node: item,
      at: node,
    }));
  }

  keys(parent: Field): readonly string[] {
    return this.#entries(parent).map((entry) => entry.key);
  }

  text(field: Field): string {
    const { node } = field;
    if (node === undefined || node.kind === 'null') return '';
    if (node.kind === 'text') return node.value;
    this.refuse(field, 'must be text: put it in quotes');
    return '';
  }

  flag(field: Field): boolean {
    const { node } = field;
    if (node === undefined || node.kind === 'null') return false;
    if (node.kind === 'boolean') return node.value === true;
    this.refuse(field, 'must be true or false');
    return false;
  }

  texts(field: Field): readonly string[] {
    return this.items(field).map((item) => this.text(item));
  }

  textMap(field: Field): Readonly<Record<string, string>> {
    const at = field.node ?? field.at;
    const pairs = this.#entries(field).map(({ key, value }) => {
      return [key, this.text({ path: `${field.path}.${key}`, node: value, at })] as const;
    });
    return Object.fromEntries(pairs);
  }

  #entries(parent: Field): readonly { readonly key: string; readonly value: TreeNode }[] {
    const { node } = parent;
    if (node === undefined || node.kind === 'null') return [];
    if (node.kind === 'map') return node.entries;
    this.refuse(parent, 'must be a map of fields');
    return [];
  }
}

/** Every duplicate key in this document: which value counts depends on the reader. */
export function repeatedKeys(node: TreeNode, path = ''): readonly FieldProblem[] {
  if (node.kind === 'list') {
    return node.items.flatMap((item, index) => repeatedKeys(item, `${path}[${index}]`));
  }
  if (node.kind !== 'map') return [];
  const seen = new Set<string>();
  return node.entries.flatMap(({ key, value, line, column }) => {
    const at = path === '' ? key : `${path}.${key}`;
    const repeated = seen.has(key) ? [{ line, column, path: at, message: 'is given twice' }] : [];
    seen.add(key);
    return [...repeated, ...repeatedKeys(value, at)];
  });
}
