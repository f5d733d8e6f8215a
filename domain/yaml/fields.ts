import type { FieldProblem, TreeEntry, TreeNode, TreePlace, UnreadableText } from './tree.js';
import { memberOf, readTree } from './tree.js';

/** Reads typed parts out of a tree and collects every problem. Absent and null parts are empty, as in Go. */
export class FieldReader {
  readonly problems: FieldProblem[] = [];

  refuse({ line, column, path }: TreePlace, message: string): void {
    this.problems.push({ line, column, path, message });
  }

  /** The part at the end of these keys, each of them inside the one before. */
  field(parent: TreeNode, ...keys: readonly string[]): TreeNode {
    return keys.reduce((node, key) => {
      this.#entries(node);
      return memberOf(node, key);
    }, parent);
  }

  items(node: TreeNode): readonly TreeNode[] {
    if (node.kind === 'list') return node.items;
    if (!isEmpty(node)) this.refuse(node, 'must be a list');
    return [];
  }

  keys(node: TreeNode): readonly string[] {
    return this.#entries(node).map(({ key }) => key);
  }

  text(node: TreeNode): string {
    if (node.kind === 'text') return node.value;
    if (!isEmpty(node)) this.refuse(node, 'must be text: put it in quotes');
    return '';
  }

  flag(node: TreeNode): boolean {
    if (node.kind === 'boolean') return node.value === true;
    if (!isEmpty(node)) this.refuse(node, 'must be true or false');
    return false;
  }

  texts(node: TreeNode): readonly string[] {
    return this.items(node).map((item) => this.text(item));
  }

  textMap(node: TreeNode): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.#entries(node).map(({ key, value }) => [key, this.text(value)] as const),
    );
  }

  #entries(node: TreeNode): readonly TreeEntry[] {
    if (node.kind === 'map') return node.entries;
    if (!isEmpty(node)) this.refuse(node, 'must be a map of fields');
    return [];
  }
}

function isEmpty({ kind }: TreeNode): boolean {
  return kind === 'null' || kind === 'absent';
}

/** Reads one document with `read`, which returns null when it cannot go on. Any problem makes the document invalid. */
export function readFields<T>(
  text: string,
  read: (reader: FieldReader, root: TreeNode) => T | null,
): { readonly kind: 'read'; readonly value: T } | UnreadableText {
  const tree = readTree(text);
  if (tree.kind === 'invalid') return tree;
  const reader = new FieldReader();
  reader.problems.push(...repeatedKeys(tree.root));
  const value = read(reader, tree.root);
  return value === null || reader.problems.length > 0
    ? { kind: 'invalid', problems: reader.problems }
    : { kind: 'read', value };
}

/** Every duplicate key in this document: which value counts depends on the reader. */
function repeatedKeys(node: TreeNode): readonly FieldProblem[] {
  if (node.kind === 'list') return node.items.flatMap(repeatedKeys);
  if (node.kind !== 'map') return [];
  const seen = new Set<string>();
  return node.entries.flatMap(({ key, value, line, column }) => {
    const problem = { line, column, path: value.path, message: 'is given twice' };
    const repeated = seen.has(key) ? [problem] : [];
    seen.add(key);
    return [...repeated, ...repeatedKeys(value)];
  });
}
