import { describe, expect, it } from '@jest/globals';
import { boundsProblem } from '../../../domain/yaml/bounds.js';
import type { TreePlace } from '../../../domain/yaml/tree.js';
import { readTree } from '../../../domain/yaml/tree.js';

function problemsOf(text: string): readonly string[] {
  const result = readTree(text);
  if (result.kind === 'read') return [];
  return result.problems.map((p) => `${p.line}:${p.column} ${p.message}`);
}

function at(path: string, line: number, column: number): TreePlace {
  return { path, line, column };
}

describe('readTree', () => {
  it('keeps repeated keys and every kind of value with its place', () => {
    expect(readTree('a: 1\na: "1"\nb: [true, null, -2.5]\nc:\n')).toEqual({
      kind: 'read',
      root: {
        kind: 'map',
        ...at('', 1, 1),
        entries: [
          { key: 'a', line: 1, column: 1, value: { kind: 'number', value: 1, ...at('a', 1, 4) } },
          { key: 'a', line: 2, column: 1, value: { kind: 'text', value: '1', ...at('a', 2, 4) } },
          {
            key: 'b',
            line: 3,
            column: 1,
            value: {
              kind: 'list',
              ...at('b', 3, 4),
              items: [
                { kind: 'boolean', value: true, ...at('b[0]', 3, 5) },
                { kind: 'null', ...at('b[1]', 3, 11) },
                { kind: 'number', value: -2.5, ...at('b[2]', 3, 17) },
              ],
            },
          },
          { key: 'c', line: 4, column: 1, value: { kind: 'null', ...at('c', 4, 3) } },
        ],
      },
    });
  });

  it.each<[string, string]>([
    ...['y', 'Yes', 'NO', 'on', 'Off', 'true'].map((word): [string, string] => [word, 'boolean']),
    ...['7', '1_000', '0b11', '017', '0x1f', '.5', '1e3'].map((word): [string, string] => [
      word,
      'number',
    ]),
    ...['yES', 'tRue', '1e', '.', '0b12', '1.5.2', '2001-01-01', "'yes'", '"017"'].map(
      (word): [string, string] => [word, 'text'],
    ),
  ])('reads %s as Kubernetes does: a %s', (word, kind) => {
    expect(readTree(`a: ${word}\n`)).toMatchObject({ root: { entries: [{ value: { kind } }] } });
  });

  it('reads a key without a colon as one without a value', () => {
    expect(readTree('? a\n')).toMatchObject({
      root: { entries: [{ key: 'a', value: { kind: 'null', line: 1, column: 3 } }] },
    });
  });

  it.each(['---\n', '---', '---\n---\n', '--- # end\n', '...\n', '---\nnull\n'])(
    'ignores an empty document after the first: %j',
    (end) => {
      expect(readTree(`a: 1\n${end}`)).toEqual(readTree('a: 1\n'));
    },
  );

  it.each([
    ['', '1:1 the document is empty'],
    ['---\n---\na: 1\n', '1:1 the document is empty'],
    ['a: 1\n---\n[\n', '2:1 only one document is allowed'],
    ['# only a remark\n', '1:1 the document is empty'],
    ['a: 1\n---\nb: 2\n', '2:1 only one document is allowed'],
    [
      'a: *\n',
      '1:4 an unquoted * starts an alias in YAML, so the manager does not start: write it as "*"',
    ],
    [
      'a: *   # any\n',
      '1:4 an unquoted * starts an alias in YAML, so the manager does not start: write it as "*"',
    ],
    ['a: *b\n', '1:4 aliases are not allowed: write it out'],
    ['a: &b 1\n', '1:7 anchors are not allowed: write it out'],
    ['a: !!str 1\n', '1:10 tag tag:yaml.org,2002:str is not allowed'],
    ['a: !own 1\n', '1:4 Unresolved tag: !own'],
    ['<<: {a: 1}\n', '1:1 a key must be plain text, and not <<'],
    ['? [a]\n: 1\n', '1:3 a key must be plain text, and not <<'],
    [
      'a: [\n',
      '2:1 Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  ])('refuses %j: %s', (text, problem) => expect(problemsOf(text)).toEqual([problem]));
});

describe('boundsProblem', () => {
  it.each([
    ['['.repeat(101), 'the document is nested deeper than 100 levels'],
    ['{a: '.repeat(101), 'the document is nested deeper than 100 levels'],
    ['- '.repeat(101), 'the document is nested deeper than 100 levels'],
    [`${' '.repeat(202)}a: 1`, 'the document is nested deeper than 100 levels'],
    ['x'.repeat(64 * 1024 + 1), 'the document has 65537 characters; at most 65536 are read'],
    ['a\n'.repeat(5001), 'the document has 5001 parts; at most 5000 are read'],
    ['a: '.repeat(101), 'the document is nested deeper than 100 levels'],
    ['a: \n'.repeat(101), null],
    ['{a: 1, '.repeat(99), null],
    [']]]['.repeat(10), null],
    ['[]'.repeat(500), null],
    ['a: 1\n- b\n', null],
  ])('boundsProblem refuses exactly the texts beyond a bound, case %#', (text, problem) => {
    expect(boundsProblem(text)).toBe(problem);
  });

  it('bounds are checked before parsing, since the parser would crash the process', () => {
    expect(problemsOf('['.repeat(4000))).toEqual([
      '1:1 the document is nested deeper than 100 levels',
    ]);
  });
});
