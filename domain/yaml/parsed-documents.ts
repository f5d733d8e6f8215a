import type { Document, Node, YAMLParseError } from 'yaml';
import {
  LineCounter,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseAllDocuments,
  visit,
} from 'yaml';
import { nestingProblem } from './bounds.js';

/** A place in a text; both count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export interface TextProblem extends TextPosition {
  readonly message: string;
}

/** One document of a YAML stream: its value as plain data, and the position of each part. */
export interface ParsedDocument {
  readonly value: unknown;
  readonly start: TextPosition;
  /** Where the value at `path` is; the nearest parent that exists when `path` itself does not. */
  positionOf(path: readonly (string | number)[]): TextPosition;
  /** Where the key at the end of `path` is; like `positionOf` when there is no such key. */
  keyPositionOf(path: readonly (string | number)[]): TextPosition;
}

export interface ParsedText {
  readonly documents: readonly ParsedDocument[];
  readonly problems: readonly TextProblem[];
}

/**
 * Reads a YAML stream strictly: YAML 1.2 core schema, unique keys, no anchors, aliases or custom tags. Empty documents are
 * left out. A document with problems has no value in the result.
 */
export function parseYamlDocuments(text: string): ParsedText {
  const tooDeep = nestingProblem(text);
  if (tooDeep !== null) {
    return { documents: [], problems: [{ line: 1, column: 1, message: tooDeep }] };
  }
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'core',
    uniqueKeys: false,
    version: '1.2',
  });
  const documents: ParsedDocument[] = [];
  const problems: TextProblem[] = [];
  for (const document of [...parsed]) {
    const found = problemsOf(document, lines);
    // One by one: as arguments of one call, a hundred thousand do not fit on the stack.
    for (const each of found) problems.push(each);
    if (found.length === 0 && document.contents !== null && !isEmpty(document)) {
      documents.push(parsedDocument(document, lines));
    }
  }
  return { documents, problems };
}

function problemsOf(document: Document, lines: LineCounter): readonly TextProblem[] {
  return [
    ...[...document.errors, ...document.warnings].map((error) => syntaxProblem(error, lines)),
    ...indirections(document, lines),
    ...keysGivenTwice(document).map((key) => ({
      ...at(lines, offsetOf(key)),
      message: 'Map keys must be unique',
    })),
  ];
}

function isEmpty(document: Document): boolean {
  return isScalar(document.contents) && document.contents.value === null;
}

function syntaxProblem(
  error: Pick<YAMLParseError, 'message' | 'pos'>,
  lines: LineCounter,
): TextProblem {
  return { ...at(lines, error.pos[0]), message: error.message };
}

/** Aliases make small files large and hide what a reader sees; none of our kinds needs them. */
function indirections(document: Document, lines: LineCounter): TextProblem[] {
  const problems: TextProblem[] = [];
  visit(document, {
    Node(_key, node) {
      const offset = offsetOf(node);
      if (isAlias(node)) {
        problems.push({ ...at(lines, offset), message: 'aliases are not allowed: write it out' });
      } else if (Reflect.get(node, 'anchor') !== undefined) {
        problems.push({ ...at(lines, offset), message: 'anchors are not allowed: write it out' });
      }
    },
  });
  return problems;
}

function parsedDocument(document: Document, lines: LineCounter): ParsedDocument {
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  const start = at(lines, offsetOf(document.contents));
  return {
    value,
    start,
    positionOf: (path) => at(lines, nearest(document, path)),
    keyPositionOf: (path) => {
      const key = keyOffset(document, path);
      return at(lines, key ?? nearest(document, path));
    },
  };
}

function nearest(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node)) return offsetOf(node);
  }
  return offsetOf(document.contents);
}

function keyOffset(document: Document, path: readonly (string | number)[]): number | null {
  const key = path.at(-1);
  const parentPath = path.slice(0, -1);
  const parent: unknown =
    parentPath.length === 0 ? document.contents : document.getIn(parentPath, true);
  if (isMap(parent)) {
    const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === key);
    return pair !== undefined && isNode(pair.key) ? offsetOf(pair.key) : null;
  }
  if (isSeq(parent) && typeof key === 'number') {
    const item: unknown = parent.items[key];
    return isNode(item) ? offsetOf(item) : null;
  }
  return null;
}

/** Every node of a parsed text has a range. */
function offsetOf(node: Pick<Node, 'range'> | null): number {
  return Number(node?.range?.[0]);
}

function at(lines: LineCounter, offset: number): TextPosition {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/**
 * Duplicate keys in a document parsed with `uniqueKeys: false`: the library's own check compares each key with all before it,
 * which takes seconds on hostile input.
 */
export function keysGivenTwice(document: Document): readonly Node[] {
  const repeated: Node[] = [];
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name: unknown = isScalar(key) ? key.value : key;
        // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- of a parsed text every key is a node
        if (seen.has(name)) repeated.push(key as Node);
        seen.add(name);
      }
    },
  });
  return repeated;
}
