import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendEntries, openLog } from '../../../cli/transparency/anchor-log.js';
import { writeStamp } from '../../../cli/transparency/log-timestamps.js';
import { publishLog } from '../../../cli/transparency/git-copy.js';
import { logKey, writtenLog } from '../../support/anchored-log.js';

const run = promisify(execFile);
const withGit = spawnSync('git', ['--version']).status === 0 ? describe : describe.skip;
const ENV = {
  ...process.env,
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'log', GIT_AUTHOR_EMAIL: 'log@example.com' },
  ...{ GIT_COMMITTER_NAME: 'log', GIT_COMMITTER_EMAIL: 'log@example.com' },
};
const KEY = logKey();
const AT = '2026-11-27T02:00:00.000Z';

let root: string;
let [remote, folder] = ['', ''];
const git = async (cwd: string, ...words: readonly string[]): Promise<string> =>
  (await run('git', [...words], { cwd, env: ENV })).stdout;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccm-migrate-git-'));
  [remote, folder] = [join(root, 'remote.git'), join(root, 'log')];
  await git(root, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  await git(root, 'clone', '--quiet', remote, folder);
});
afterEach(() => rm(root, { recursive: true }));

const publish = (message: string): Promise<void> => publishLog({ folder, env: ENV }, message);
const published = (path: string): Promise<string> => git(remote, 'show', `main:${path}`);
const ownText = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

async function grow(count: number): Promise<void> {
  const added = Array.from({ length: count }, () => ({ kind: 'quiet', at: AT }) as const);
  await appendEntries(folder, await openLog(folder, KEY), added, KEY);
}

withGit('a log that is published (needs git)', () => {
  it('is in the repository after each pass, with nothing that it has not written', async () => {
    await writtenLog(folder, []);
    await publish('begins');
    expect(await published('checkpoint')).toBe(await ownText('checkpoint'));
    await grow(3);
    await writeStamp(folder, 3, Buffer.from('stamped'));
    await publish('three entries');
    await publish('nothing new');
    expect(await published('checkpoint')).toBe(await ownText('checkpoint'));
    await grow(253);
    await publish('whole');
    const files = (await git(remote, 'ls-tree', '-r', '--name-only', 'main')).trim().split('\n');
    expect(files).toEqual([
      'checkpoint',
      'tile/0/000',
      'tile/1/000.p/1',
      'tile/entries/000',
      'timestamp/3.tsr',
    ]);
    expect((await git(remote, 'log', '--format=%s', 'main')).trim().split('\n')).toEqual([
      ...['whole', 'three entries', 'begins'],
    ]);
  });

  it('is published later where the repository was away', async () => {
    await writtenLog(folder, []);
    await publish('begins');
    await git(folder, 'remote', 'set-url', 'origin', join(root, 'nowhere.git'));
    await grow(1);
    await expect(publish('one entry')).rejects.toThrow(/^git push in .*: /);
    await git(folder, 'remote', 'set-url', 'origin', remote);
    await publish('one entry');
    expect(await published('checkpoint')).toBe(await ownText('checkpoint'));
  });

  it('is not published from a folder that is in no repository', async () => {
    const elsewhere = join(root, 'elsewhere');
    await writtenLog(elsewhere, []);
    const asked = publishLog({ folder: elsewhere, env: ENV }, 'begins');
    await expect(asked).rejects.toThrow('not a git repository');
  });

  it('says so where git cannot be started', async () => {
    await writtenLog(folder, []);
    const asked = publishLog({ folder, env: { PATH: root } }, 'begins');
    await expect(asked).rejects.toThrow('could not be started');
  });
});
