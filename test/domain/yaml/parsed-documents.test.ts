import { describe, expect, it } from '@jest/globals';
import { parseYamlDocuments } from '../../../domain/yaml/parsed-documents.js';

describe('parseYamlDocuments', () => {
  it('reads a stream and leaves empty documents out', () => {
    const { documents, problems } = parseYamlDocuments('---\na: 1\n---\n---\n- b\n');
    expect(problems).toEqual([]);
    expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }, ['b']]);
    expect(documents.map(({ start }) => start.line)).toEqual([2, 5]);
    expect(parseYamlDocuments('').documents).toEqual([]);
  });

  it('locates values and keys, or their nearest parent', () => {
    const [document] = parseYamlDocuments('a:\n  b: 1\n  c: [x, y]\n').documents;
    const at = (path: (string | number)[]): readonly number[] => {
      const { line = 0, column = 0 } = document?.positionOf(path) ?? {};
      return [line, column];
    };
    const keyAt = (path: (string | number)[]): readonly number[] => {
      const { line = 0, column = 0 } = document?.keyPositionOf(path) ?? {};
      return [line, column];
    };
    expect([at(['a', 'b']), at(['a', 'none']), at([])]).toEqual([
      [2, 6],
      [2, 3],
      [1, 1],
    ]);
    expect([keyAt(['a']), keyAt(['a', 'b']), keyAt(['a', 'c', 1])]).toEqual([
      [1, 1],
      [2, 3],
      [3, 10],
    ]);
    expect([keyAt(['a', 'none']), keyAt(['a', 'b', 'x']), keyAt(['a', 'c', 9])]).toEqual([
      [2, 3],
      [2, 6],
      [3, 6],
    ]);
    expect(keyAt(['a', 'c', 'x'])).toEqual([3, 6]);
  });

  it.each([
    ['a: [\n', '2:1 Flow sequence'],
    ['a: 1\na: 2\n', '2:1 Map keys must be unique'],
    ['{? [a] : 1, b: 1, b: 2}\n', '1:19 Map keys must be unique'],
    ['a: &b 1\n', '1:7 anchors are not allowed'],
    ['a: &b 1\nc: *b\n', '1:7 anchors are not allowed', '2:4 aliases are not allowed'],
    ['a: !own 1\n', '1:4 Unresolved tag'],
    ['['.repeat(200_000), '1:1 the document is nested deeper than 100 levels'],
  ])('locates every problem of an invalid text, case %#', (text, ...expected) => {
    const { documents, problems } = parseYamlDocuments(text);
    expect(documents).toEqual([]);
    const seen = problems.map((p) => `${p.line}:${p.column} ${p.message}`);
    expect(seen).toEqual(expected.map((start) => expect.stringContaining(start)));
  });
});
