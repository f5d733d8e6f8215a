import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

/** tools/packed-files.mjs, which has no types. */
interface PackedFiles {
  readonly pack: (folder: string, names: readonly string[], archive: string, at: number) => void;
  readonly fileDigest: (path: string) => Promise<string>;
}

const { pack, fileDigest } = (await import(
  new URL('../../tools/packed-files.mjs', import.meta.url).href
)) as PackedFiles;

const root = mkdtempSync(join(tmpdir(), 'ccm-migrate-packed-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

interface Laid {
  readonly names: readonly string[];
  readonly seconds: number;
  readonly mode: number;
  readonly content: string;
}

let folders = 0;
async function packed({ names, seconds, mode, content }: Laid): Promise<string> {
  folders += 1;
  const folder = join(root, 'x'.repeat(folders));
  mkdirSync(join(folder, 'dist'), { recursive: true });
  for (const name of names) {
    const file = join(folder, 'dist', name);
    writeFileSync(file, `${content} ${name}`);
    chmodSync(file, mode);
    utimesSync(file, seconds, seconds);
  }
  const archive = join(root, `${String(folders)}.tar.gz`);
  pack(folder, ['dist'], archive, 1_000_000);
  return fileDigest(archive);
}

const LAID: Laid = { names: ['a', 'b', 'c'], seconds: 5, mode: 0o644, content: 'text' };

describe('archives of a release', () => {
  it('order, times, rights of others and the place of the files do not show', async () => {
    const first = await packed(LAID);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await packed({ ...LAID, names: ['c', 'b', 'a'], seconds: 900, mode: 0o600 })).toBe(
      first,
    );
  });

  it.each<readonly [string, Partial<Laid>]>([
    ['content', { content: 'other' }],
    ['names', { names: ['a', 'b', 'd'] }],
    ['what may be executed', { mode: 0o755 }],
  ])('%s show', async (_name, change) => {
    expect(await packed({ ...LAID, ...change })).not.toBe(await packed(LAID));
  });
});
