import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoLayout } from '../../testbed/demo/layout.js';
import { privateFolder } from '../../cli/state-folder.js';

describe('a folder for state of ours', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'ccm-migrate-private-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

  it('a state folder is created for its user only, with all missing parents', async () => {
    const folder = join(root, 'a', 'b');
    await privateFolder(folder);
    expect([await modeOf(join(root, 'a')), await modeOf(folder)]).toEqual([0o700, 0o700]);
  });

  it('an existing state folder that others can read is made private', async () => {
    const folder = join(root, 'old');
    await mkdir(folder);
    await chmod(folder, 0o755);
    await privateFolder(folder);
    expect(await modeOf(folder)).toBe(0o700);
  });

  it('a folder of another user is refused, naming the flag that selects another one', async () => {
    const folder = join(root, 'theirs');
    await mkdir(folder);
    const own = process.getuid;
    // Only the superuser can change the owner of a folder.
    process.getuid = () => (own?.() ?? 0) + 1;
    try {
      await expect(privateFolder(folder)).rejects.toThrow(/another user \(uid \d+\).*--state-dir/);
    } finally {
      Object.assign(process, { getuid: own });
    }
  });

  it('a demo keeps its files in a private folder', async () => {
    const layout = await demoLayout(join(root, 'demo'));
    for (const folder of [layout.root, layout.logs, layout.worker, layout.config]) {
      expect(await modeOf(folder)).toBe(0o700);
    }
  });
});
