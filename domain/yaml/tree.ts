import type { Document, ParsedNode } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { boundsProblem } from './bounds.js';
import type { TextPosition } from './parsed-documents.js';

/** Where a part of a document is: its position, and its path, for example `spec.containers[0].command[3]`. */
export interface TreePlace extends TextPosition {
  /** Empty for the document itself. */
  readonly path: string;
}

export interface FieldProblem extends TreePlace {
  readonly message: string;
}

/** `line:col: path: message`, as people read it. */
export function problemLine({ line, column, path, message }: FieldProblem): string {
  return `${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;
}

/** A YAML document, or a part of it, as plain data with the place of each part. Keys may repeat: the reader decides. */
export type TreeNode = TreePlace &
  (
    | { readonly kind: 'map'; readonly entries: readonly TreeEntry[] }
    | { readonly kind: 'list'; readonly items: readonly TreeNode[] }
    | { readonly kind: 'text'; readonly value: string }
    | { readonly kind: 'number' | 'boolean'; readonly value: number | boolean }
    | { readonly kind: 'null' }
    /** Nothing is there; it has the position of its nearest parent. */
    | { readonly kind: 'absent' }
  );

export interface TreeEntry extends TextPosition {
  readonly key: string;
  readonly value: TreeNode;
}

/** The part under this key, the last one of repeated ones as in Go; absent too where `parent` is no map. */
export function memberOf(parent: TreeNode, key: string): TreeNode {
  const entries = parent.kind === 'map' ? parent.entries : [];
  const { line, column } = parent;
  return (
    entries.findLast((entry) => entry.key === key)?.value ?? {
      kind: 'absent',
      path: pathOf(parent.path, key),
      line,
      column,
    }
  );
}

function pathOf(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}

export type TreeResult = { readonly kind: 'read'; readonly root: TreeNode } | UnreadableText;

export interface UnreadableText {
  readonly kind: 'invalid';
  readonly problems: readonly FieldProblem[];
}

/**
 * Reads exactly one YAML document: bounded, without anchors, aliases, tags or keys that are not text.
 * Empty documents may follow it, as behind a last `---`: kubelet and managers read the first one only.
 * All problems are collected.
 */
export function readTree(text: string): TreeResult {
  const outOfBounds = boundsProblem(text);
  if (outOfBounds !== null)
    return invalid([{ line: 1, column: 1, path: '', message: outOfBounds }]);
  const reader = new TreeReader(text);
  const root = reader.read();
  return root === null || reader.problems.length > 0
    ? invalid(reader.problems)
    : { kind: 'read', root };
}

function invalid(problems: readonly FieldProblem[]): UnreadableText {
  return { kind: 'invalid', problems };
}

class TreeReader {
  readonly problems: FieldProblem[] = [];
  readonly #lines = new LineCounter();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(): TreeNode | null {
    const documents: readonly Document.Parsed[] = [
      ...parseAllDocuments(this.#text, {
        lineCounter: this.#lines,
        prettyErrors: false,
        schema: 'core',
        uniqueKeys: false,
      }),
    ];
    const [first, ...others] = documents;
    if (first === undefined || isEmpty(first)) return this.#refuse(0, 'the document is empty');
    const second = others.find((one) => !isEmpty(one));
    if (second !== undefined) this.#refuse(second.range[0], 'only one document is allowed');
    for (const { pos, message } of [...first.errors, ...first.warnings]) {
      this.#refuse(pos[0], this.#isBareStar(pos[0]) ? BARE_STAR : message);
    }
    const { contents } = first;
    return this.problems.length > 0 || contents === null ? null : this.#node(contents, '');
  }

  #node(node: ParsedNode, path: string): TreeNode {
    const offset = node.range[0];
    const at = { ...this.#at(offset), path };
    if (isAlias(node)) this.#refuse(offset, 'aliases are not allowed: write it out');
    else if (node.anchor !== undefined)
      this.#refuse(offset, 'anchors are not allowed: write it out');
    else if (node.tag !== undefined) this.#refuse(offset, `tag ${node.tag} is not allowed`);
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.#node(item, `${path}[${index}]`));
      return { kind: 'list', items, ...at };
    }
    if (isMap(node)) {
      return { kind: 'map', entries: node.items.map((pair) => this.#entry(pair, path)), ...at };
    }
    return { ...(isScalar(node) ? scalar(node) : { kind: 'null' }), ...at };
  }

  #entry({ key, value }: { key: ParsedNode; value: ParsedNode | null }, parent: string): TreeEntry {
    const offset = key.range[0];
    const at = this.#at(offset);
    const name = isScalar(key) ? String(key.value) : '<<';
    // Kubernetes' YAML reader merges the value of <<, ours would not: the two would read one text differently.
    if (name === '<<') this.#refuse(offset, 'a key must be plain text, and not <<');
    const path = pathOf(parent, name);
    return {
      key: name,
      value: value === null ? { kind: 'null', ...at, path } : this.#node(value, path),
      ...at,
    };
  }

  #refuse(offset: number, message: string): null {
    this.problems.push({ ...this.#at(offset), path: '', message });
    return null;
  }

  #at(offset: number): TextPosition {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  #isBareStar(offset: number): boolean {
    return /^\*[ \t]*(?:#.*)?(?:\r?\n|$)/.test(this.#text.slice(offset));
  }
}

function isEmpty({ contents, errors }: Document.Parsed): boolean {
  const hasNothing = contents === null || (isScalar(contents) && contents.value === null);
  return hasNothing && errors.length === 0;
}

const BARE_STAR =
  'an unquoted * starts an alias in YAML, so the manager does not start: write it as "*"';

type ScalarPart =
  | { kind: 'text'; value: string }
  | { kind: 'number' | 'boolean'; value: number | boolean }
  | { kind: 'null' };

function scalar({ value, type }: { value: unknown; type?: string }): ScalarPart {
  if (typeof value === 'string')
    return type === 'PLAIN' ? plainWord(value) : { kind: 'text', value };
  if (typeof value === 'number') return { kind: 'number', value };
  return typeof value === 'boolean' ? { kind: 'boolean', value } : { kind: 'null' };
}

/**
 * Kubernetes reads YAML 1.1, where more plain scalars are not strings: with `component: yes` a manager exits.
 * Source: sigs.k8s.io/yaml goyaml.v2 resolve.go; seen on k8s.io/controller-manager v0.21 to v0.36.
 */
function plainWord(value: string): ScalarPart {
  if (TRUE_WORD.test(value)) return { kind: 'boolean', value: true };
  if (FALSE_WORD.test(value)) return { kind: 'boolean', value: false };
  const digits = value.replaceAll('_', '');
  return /^[-+.\d]/.test(value) && NUMBER.test(digits)
    ? { kind: 'number', value: Number(digits) }
    : { kind: 'text', value };
}

const TRUE_WORD = /^(?:y|Y|yes|Yes|YES|on|On|ON)$/;
const FALSE_WORD = /^(?:n|N|no|No|NO|off|Off|OFF)$/;
const NUMBER =
  /^[-+]?(?:0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)$/;
