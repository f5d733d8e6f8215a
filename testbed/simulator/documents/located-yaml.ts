import {
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
} from 'yaml';

export type YamlPath = readonly (string | number)[];

/** A place in a text; both count from 1. */
export interface YamlPlace {
  readonly line: number;
  readonly column: number;
}

export type LocatedYaml =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Where the key at the end of `path` is, or its value; the nearest parent when there is none. */
      readonly placeOf: (path: YamlPath, about: 'key' | 'value') => YamlPlace;
    }
  | { readonly ok: false; readonly place: YamlPlace; readonly message: string };

/** One YAML 1.2 document with unique keys and without aliases, and where each of its parts is. */
export function locatedYaml(text: string): LocatedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...{ lineCounter: lines, prettyErrors: false, uniqueKeys: true },
    ...{ schema: 'core', version: '1.2', logLevel: 'error' },
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    return { ok: false, place: placeAt(lines, problem.pos[0]), message: problem.message };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return {
      ok: true,
      value,
      placeOf: (path, about) => placeAt(lines, offsetAt(document, path, about)),
    };
  } catch {
    return { ok: false, place: { line: 1, column: 1 }, message: 'aliases are not allowed' };
  }
}

function placeAt(lines: LineCounter, offset: number): YamlPlace {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function offsetAt(document: Document, path: YamlPath, about: 'key' | 'value'): number {
  const key = about === 'key' ? keyOffset(document, path) : null;
  if (key !== null) return key;
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node)) return startOf(node);
  }
  return startOf(document.contents);
}

function keyOffset(document: Document, path: YamlPath): number | null {
  const parent: unknown =
    path.length < 2 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return null;
  const pair = parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  return pair !== undefined && isScalar(pair.key) ? startOf(pair.key) : null;
}

function startOf(node: Pick<Node, 'range'> | null): number {
  return node?.range?.[0] ?? 0;
}
