import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

interface Trace {
  readonly title: string;
  readonly text: string;
  readonly rows: readonly { readonly path: string; readonly shapes: readonly string[] }[];
}

const TRACES: readonly Trace[] = readFileSync(join(ROOT, 'docs/TRACES.md'), 'utf8')
  .split('\n## ')
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    text: section,
    rows: section
      .split('\n')
      .filter((line) => /^\| \d+ /.test(line))
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, , path = '', , shapes = '']) => ({
        path: codeIn(path)[0] ?? '',
        shapes: codeIn(shapes),
      })),
  }));

function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code ?? []);
}

/** Files that a file imports (types and imports on demand too), from the root of the project. */
function importsOf(path: string): readonly string[] {
  return ts
    .preProcessFile(readFileSync(join(ROOT, path), 'utf8'))
    .importedFiles.map(({ fileName }) => relative(ROOT, join(ROOT, dirname(path), fileName)))
    .map((imported) => imported.replace(/\.js$/, '.ts'));
}

function areNeighbours(one: string, other: string): boolean {
  return importsOf(one).includes(other) || importsOf(other).includes(one) || reads(other, one);
}

/** A shell file is not imported: the file that sends it to nodes reads it by its name. */
function reads(path: string, shellFile: string): boolean {
  const part = /remote-(\w+)\.sh$/.exec(shellFile)?.[1];
  return part !== undefined && readFileSync(join(ROOT, path), 'utf8').includes(`'${part}'`);
}

it('the page has three traces', () => {
  expect(TRACES.map(({ rows }) => rows.length > 20)).toEqual([true, true, true]);
});

describe.each(TRACES)('$title', ({ text, rows }) => {
  it('goes only from a file to one that imports it or that it imports', () => {
    const broken = rows.slice(1).flatMap(({ path }, index) => {
      const before = rows[index]?.path ?? '';
      return areNeighbours(before, path) ? [] : [`${before} → ${path}`];
    });
    expect(broken).toEqual([]);
  });

  it('names shapes that stand in their files', () => {
    const absent = rows.flatMap(({ path, shapes }) => {
      const source = readFileSync(join(ROOT, path), 'utf8');
      return shapes.filter((shape) => !source.includes(shape)).map((shape) => `${path}: ${shape}`);
    });
    expect(absent).toEqual([]);
    expect(rows.every(({ shapes }) => shapes.length > 0)).toBe(true);
  });

  it('counts its hops and files', () => {
    const files = new Set(rows.map(({ path }) => path));
    expect(text).toContain(`\n${rows.length} hops through ${files.size} files.`);
  });
});

it.each([
  ['A rollback', 36],
  ['A manifest', 43],
  ['A policy field', 26],
])('%s passes at most %i files', (walk, most) => {
  const { rows } = TRACES.find(({ title }) => title.startsWith(walk)) ?? { rows: [] };
  const files = new Set(rows.map(({ path }) => path)).size;
  expect(files).toBeGreaterThan(0);
  expect(files).toBeLessThanOrEqual(most);
});

describe('the shapes of the manifest', () => {
  const { text, rows } = TRACES.find((trace) => trace.text.includes(' shapes on the way: ')) ?? {
    text: '',
    rows: [],
  };
  const [, count = '', list = '', others = ''] =
    /(\d+) shapes on the way: ([^.]*)\.[^:]*Not counted: ([^.]*)\./.exec(text) ?? [];
  const defined = rows.flatMap(({ path, shapes }) => {
    const source = readFileSync(join(ROOT, path), 'utf8');
    return shapes.filter((shape) =>
      new RegExp(`export (?:interface|type) ${shape}\\b`).test(source),
    );
  });

  it('are counted, and each is a type of a file in the table', () => {
    expect(codeIn(list)).toHaveLength(Number(count));
    expect(codeIn(list).filter((shape) => !defined.includes(shape))).toEqual([]);
  });

  it('are at most nine', () => {
    expect(Number(count)).toBeGreaterThan(0);
    expect(Number(count)).toBeLessThanOrEqual(9);
  });

  it('leave out no type of the table without saying so', () => {
    const told = [...codeIn(list), ...codeIn(others)];
    expect(defined.filter((shape) => !told.includes(shape))).toEqual([]);
  });
});
