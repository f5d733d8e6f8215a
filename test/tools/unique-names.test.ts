import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../devserver/run-program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Every name that several files may have, in two of them. */
const SHARED = Object.fromEntries(
  [
    ...['index', 'main', 'failures', 'fleet-migration', 'close-run', 'add-machine'],
    ...['release-lease', 'remove-machine'],
  ]
    .flatMap((name) => [`domain/${name}.ts`, `cli/commands/${name}.ts`])
    .map((path) => [path, 'export {};']),
);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unique-names-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What the check says of these files, and whether it passes. */
async function check(files: Readonly<Record<string, string>>): Promise<readonly [number, string]> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const options = { cwd: folder, env: process.env };
  const tool = join(ROOT, 'tools/check-names.mjs');
  const { code, stdout, stderr } = await runProgram(process.execPath, [tool], options);
  return [code ?? -1, stdout + stderr];
}

describe('names of source files and of what they export', () => {
  it('pass when each stands once; re-exports, merged types and private names define nothing twice', async () => {
    const [code, output] = await check({
      ...SHARED,
      'domain/owner.ts':
        'export type Owner = string; export const Owner = 1; const word = 1; word;',
      'config/owners.ts': "export { Owner } from '../domain/owner.js'; export const word = 1;",
      'cli/shown-owner.ts': "import { Owner } from '../domain/owner.js'; export { Owner };",
      'test/owner.ts': 'export type Owner = number;',
    });
    expect(output).toBe('names: 2 exported, 19 files, 0 violations\n');
    expect(code).toBe(0);
  });

  it.each([
    ['a function', 'export function found() {}'],
    ['a constant', 'export const found = 1;'],
    ['a part of a pattern', 'export const { a: [found] } = b;'],
    ['a type', 'export interface found {}'],
    ['a class', 'export class found {}'],
    ['a name that is exported at the end', 'const found = 1; export { found };'],
  ])('fail when %s is defined in two files', async (_what, definition) => {
    const [code, output] = await check({
      ...SHARED,
      'domain/one.ts': definition,
      'testbed/lab/two.ts': 'export const found = 2;',
    });
    expect(output).toContain('error found is defined in domain/one.ts, testbed/lab/two.ts');
    expect(code).toBe(1);
  });

  it('fail when two files have one base name that is not on the list', async () => {
    const [code, output] = await check({
      ...SHARED,
      'domain/cloud.ts': '',
      'testbed/bench/cloud.mjs': '',
    });
    expect(output).toContain('error cloud is the name of domain/cloud.ts, testbed/bench/cloud.mjs');
    expect(code).toBe(1);
  });

  it('leave the list when they no longer occur twice', async () => {
    const { 'domain/failures.ts': _one, ...others } = SHARED;
    const [code, output] = await check(others);
    expect(output).toContain('error failures is no shared file name: take it off the list');
    expect(code).toBe(1);
  });

  it('fail when no file was read', async () => {
    const [code, output] = await check({});
    expect(output).toContain('No source files were read');
    expect(code).toBe(1);
  });
});
