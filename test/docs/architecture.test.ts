import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const ROOMS = ['domain', 'workflows', 'activities', 'workers', 'config', 'cli', 'devserver'];
const PATHS = new RegExp(`^(${ROOMS.join('|')}|testbed|test|tools|docs|\\.ci)/[\\w./*-]+$`);

const page = readFileSync(join(ROOT, 'docs/ARCHITECTURE.md'), 'utf8');

/** The cells of the table below a heading, without its two head lines. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => line.split('|').slice(1, -1));
}

function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code ?? []);
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => path.endsWith('.ts'));
}

/** Files that a file imports, types too, from the root of the project. */
function importsOf(path: string): readonly string[] {
  return ts
    .preProcessFile(readFileSync(join(ROOT, path), 'utf8'))
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => relative(ROOT, join(ROOT, dirname(path), fileName)))
    .map((imported) => imported.replace(/\.js$/, '.ts'));
}

function within(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map((name) => join('docs', String(name)))
    .filter((path) => path.endsWith('.md')),
];

/** A star stands for any part of a file's name. */
function exists(path: string): boolean {
  if (!path.includes('*')) return existsSync(join(ROOT, path));
  const [folder, name] = [dirname(path), path.slice(dirname(path).length + 1)];
  const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return readdirSync(join(ROOT, folder)).some((each) => pattern.test(each));
}

describe.each(PAGES)('%s', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');

  it('names only files and folders that exist', () => {
    const named = codeIn(text).filter((code) => PATHS.test(code));
    expect(named.filter((each) => !exists(each))).toEqual([]);
  });

  it('links only to files that exist', () => {
    const linked = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)].flatMap(
      ([, target]) => target ?? [],
    );
    const missing = linked.filter((each) => !existsSync(join(ROOT, dirname(path), each)));
    expect(missing).toEqual([]);
  });
});

describe('the rooms of the architecture page', () => {
  const rooms = rowsBelow('Rooms').map(([name = '', , imports = '']) => ({
    name: codeIn(name)[0] ?? '',
    imports: [...codeIn(imports)].sort(),
  }));
  const roomOf = (path: string): string | undefined =>
    rooms.find(({ name }) => within(path, name))?.name;

  it('are all folders that hold sources', () => {
    const testbed = readdirSync(join(ROOT, 'testbed')).map((name) => `testbed/${name}`);
    expect(rooms.map(({ name }) => name).sort()).toEqual([...ROOMS, ...testbed].sort());
  });

  it.each(rooms)('lists what $name imports, and nothing else', ({ name, imports }) => {
    const imported = sourcesIn(name).flatMap(importsOf).map(roomOf);
    const others = imported.filter((room) => room !== undefined && room !== name);
    expect([...new Set(others)].sort()).toEqual(imports);
  });
});

describe('the layers of domain/', () => {
  const layers = rowsBelow('Layers inside domain/').map(([, places = '']) => codeIn(places));
  const placed = layers.flatMap((places, layer) =>
    places.map((place) => ({ place: join('domain', place), layer })),
  );
  const placeOf = (path: string): (typeof placed)[number] | undefined =>
    placed.find(({ place }) => within(path, place));

  it('name every folder and file once', () => {
    const there = readdirSync(join(ROOT, 'domain')).map((name) => join('domain', name));
    expect(placed.map(({ place }) => place).sort()).toEqual(there.sort());
  });

  it('import only from the layers above them', () => {
    const upward = sourcesIn('domain').flatMap((path) =>
      importsOf(path)
        .map((imported) => ({ path, imported, from: placeOf(path), to: placeOf(imported) }))
        .filter(({ from, to }) => from?.place !== to?.place)
        .filter(({ from, to }) => from === undefined || to === undefined || to.layer >= from.layer)
        .map(({ imported }) => `${path} imports ${imported}`),
    );
    expect(upward).toEqual([]);
  });
});
