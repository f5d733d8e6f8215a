import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One mutation and the tests that must fail with it. `composed`: the title is put together from values when the tests run. */
interface Row {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
  readonly only?: string;
  readonly composed?: boolean;
}

const HERE = import.meta.dirname;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLES = readdirSync(HERE).filter((name) => /(?<!^run)-guards\.mjs$/.test(name));
const TEST_CODE = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name))
  .filter((name) => name.endsWith('.ts'));
const TESTS = TEST_CODE.filter((name) => name.endsWith('.test.ts'));

const rows: Row[] = [];
beforeAll(async () => {
  for (const table of TABLES) rows.push(...(await rowsOf(table)));
});

async function rowsOf(table: string): Promise<readonly Row[]> {
  const exported = (await import(join(HERE, table))) as Readonly<Record<string, readonly Row[]>>;
  return Object.values(exported).flat();
}

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

function selectedBy(pattern: string): readonly string[] {
  return TESTS.filter((name) => new RegExp(pattern).test(name));
}

/** What the tests of a row are called: in their files, and in the contracts that these share. */
function titlesFor({ tests }: Row): string {
  const selected = tests.flatMap(selectedBy);
  const folders = new Set(selected.map((name) => dirname(name)));
  const contracts = TEST_CODE.filter(
    (name) => name.endsWith('.contract.ts') && folders.has(dirname(name)),
  );
  return [...selected, ...contracts].map(read).join('\n').replaceAll("\\'", "'");
}

function hasTitle(row: Row): boolean {
  if (row.only === undefined) return true;
  const titles = titlesFor(row);
  if (row.composed !== true) return new RegExp(row.only, 'i').test(titles);
  return row.only.split(/[ :]+/).every((word) => new RegExp(word).test(titles));
}

function namesOf(stale: (row: Row) => boolean): readonly string[] {
  return rows.filter(stale).map(({ name }) => name);
}

/** The guards themselves take too long for every run; that a row still fits the sources can be read at once. */
describe('every row of the guards', () => {
  it('is in a table that the runner reads, under a name of its own', () => {
    const runner = read('test/guards/run-guards.mjs');
    expect(TABLES.filter((table) => !runner.includes(`from './${table}'`))).toEqual([]);
    expect(rows.length).toBeGreaterThan(TABLES.length);
    expect(namesOf(({ name }) => rows.filter((row) => row.name === name).length > 1)).toEqual([]);
  });

  it('removes text that is in its file exactly once', () => {
    expect(namesOf(({ file, from }) => read(file).split(from).length !== 2)).toEqual([]);
    expect(namesOf(({ from, to }) => from === to)).toEqual([]);
  });

  it('names tests that exist, each by a pattern that selects one', () => {
    const selectsNone = (pattern: string): boolean => selectedBy(pattern).length === 0;
    expect(namesOf(({ tests }) => tests.length === 0 || tests.some(selectsNone))).toEqual([]);
  });

  it('names titles that its tests have', () => {
    expect(namesOf((row) => !hasTitle(row))).toEqual([]);
  });
});
