import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { aloneInFolder } from '../../cli/state-folder.js';
import { ran } from './fake-terminal.js';

describe('a state folder that is in use', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-alone-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('a second simulator refuses a folder in use and names its owner and the remedy', async () => {
    await aloneInFolder(folder, 'simulator', async () => {
      const before = await readdir(folder);
      const { exit, stderr } = await ran(['simulator', '--state-dir', folder]);
      expect(stderr).toContain(`${folder} is served already, by \`simulator\` as process`);
      expect(stderr).toContain('--state-dir');
      expect(exit).toBe(64);
      expect(await readdir(folder)).toEqual(before);
    });
  });

  it('a folder is free again when its owner has ended, even by SIGKILL', async () => {
    await expect(
      aloneInFolder(folder, 'dev', () => Promise.reject(new Error('ended'))),
    ).rejects.toThrow('ended');
    const gone = { host: hostname(), pid: 2 ** 22 - 1, started: '1' };
    await writeFile(join(folder, 'dev.lock'), JSON.stringify(gone));
    expect(await aloneInFolder(folder, 'dev', async () => 'served')).toBe('served');
  });
});
