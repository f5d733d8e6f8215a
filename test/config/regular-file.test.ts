import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readDocuments } from '../../config/read-documents.js';
import { readSecretFile, readSmallFile } from '../../config/small-file.js';
import { ran } from '../cli/fake-terminal.js';
import { FLEET, withFiles } from './given-files.js';

/** A folder with a pipe that no one writes to: reading it would wait for ever. */
async function withPipe<T>(act: (pipe: string, folder: string) => Promise<T>): Promise<T> {
  return withFiles({ 'fleet.yaml': FLEET }, async (folder) => {
    const pipe = join(folder, 'pipe.yaml');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    return act(pipe, folder);
  });
}

const WHY = 'is a pipe or a device, and no file';

describe('a pipe or a device in place of a file', () => {
  it('is a problem of the configuration, named or found', async () => {
    await withPipe(async (pipe, folder) => {
      for (const path of [pipe, folder]) {
        const { problems } = await readDocuments([path]);
        expect(problems).toContainEqual(
          expect.objectContaining({ file: pipe, code: 'CCM5016', message: WHY }),
        );
      }
      expect((await readDocuments(['/dev/zero'])).problems).toMatchObject([{ message: WHY }]);
    });
  });

  it('is no key and no other small file', async () => {
    await withPipe(async (pipe) => {
      await expect(readSmallFile('key', pipe, 1024)).rejects.toThrow(`key: ${WHY}`);
      await expect(readSecretFile('key', pipe, 1024)).rejects.toThrow(`key: ${WHY}`);
    });
  });

  it.each<[string, (pipe: string) => readonly string[], number]>([
    ['a plan', (pipe) => ['apply', pipe, '--reason', 'x'], 64],
    ['an export', (pipe) => ['audit', 'verify', pipe], 64],
    ['files of a fleet', (pipe) => ['plan', '-f', pipe], 65],
  ])('ends a command at once: %s', async (_what, argv, exit) => {
    await withPipe(async (pipe) => {
      expect((await ran(argv(pipe))).exit).toBe(exit);
    });
  });
});
