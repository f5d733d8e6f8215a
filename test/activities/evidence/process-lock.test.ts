import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withProcessLock } from '../../../activities/evidence/process-lock.js';

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-lock-'));
  lock = join(folder, 'run.lock');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function owner(over: object): string {
  return JSON.stringify({ host: hostname(), pid: process.pid, started: '', ...over });
}

/** A process id that is certainly unused. */
function goneProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

describe('withProcessLock', () => {
  it('holds for as long as the work takes, and leaves nothing behind', async () => {
    await withProcessLock(lock, async () => {
      expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ pid: process.pid });
    });
    await expect(withProcessLock(lock, () => Promise.reject(new Error('work')))).rejects.toThrow(
      'work',
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('admits one holder at a time', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await readdir(folder);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withProcessLock(lock, work)));
    expect(most).toBe(1);
  });

  it.each<[string, () => string]>([
    ['whose process is gone', () => owner({ pid: goneProcess() })],
    ['whose process id belongs to another process now', () => owner({ started: '1' })],
  ])('takes over a lock %s', async (_name, text) => {
    await writeFile(lock, text());
    await withProcessLock(lock, () => Promise.resolve());
    expect(await readdir(folder)).toEqual([]);
  });

  it.each<[string, () => string]>([
    ['of another host', () => owner({ host: 'elsewhere', pid: 1 })],
    ['that cannot be read', () => 'x'],
  ])('takes over a lock %s only when it is older than any honest use', async (_name, text) => {
    await writeFile(lock, text());
    let entered = false;
    const work = withProcessLock(lock, () => {
      entered = true;
      return Promise.resolve();
    });
    await Promise.race([work, once(spawn(process.execPath, ['-e', '']), 'exit')]);
    expect(entered).toBe(false);
    const minuteAgo = new Date(Date.now() - 60_000);
    await utimes(lock, minuteAgo, minuteAgo);
    await work;
    expect(entered).toBe(true);
  });

  it('waits for a live process to finish', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
    await once(child, 'spawn');
    await writeFile(lock, owner({ pid: child.pid }));
    let entered = false;
    const work = withProcessLock(lock, () => {
      entered = true;
      return Promise.resolve();
    });
    await once(spawn(process.execPath, ['-e', '']), 'exit');
    expect(entered).toBe(false);
    child.kill('SIGKILL');
    await work;
    expect(entered).toBe(true);
  });
});
