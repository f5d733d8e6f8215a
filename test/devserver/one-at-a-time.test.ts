import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneAtATime } from '../../devserver/one-at-a-time.js';
import { isRunning, thisProcess } from '../../devserver/process-identity.js';
import { runProgram } from '../../devserver/run-program.js';

let folder: string;
let lock: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'one-at-a-time-'));
  lock = join(folder, 'below', 'build.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const nothing = (): void => undefined;

async function ended(): Promise<string> {
  const { stdout } = await runProgram(process.execPath, ['--print', 'process.pid']);
  return stdout.trim();
}

describe('work that is done one at a time', () => {
  it('holds the lock until it ends, and leaves none behind, even when it fails', async () => {
    const held = await oneAtATime(lock, nothing, () => readFile(lock, 'utf8'));
    expect(held).toBe(thisProcess());
    expect(existsSync(lock)).toBe(false);
    const fails = oneAtATime(lock, nothing, () => Promise.reject(new Error('broken')));
    await expect(fails).rejects.toThrow('broken');
    expect(existsSync(lock)).toBe(false);
  });

  it('waits for the work of another process, and names that process once', async () => {
    const order: string[] = [];
    const said: string[] = [];
    let end = nothing;
    const first = oneAtATime(lock, nothing, async () => {
      await new Promise<void>((resolve) => (end = resolve));
      order.push('first');
    });
    while (!existsSync(lock)) await new Promise(setImmediate);
    const report = (line: string): void => {
      said.push(line);
      end();
    };
    const second = oneAtATime(lock, report, () => Promise.resolve(order.push('second')));
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    expect(said).toEqual([expect.stringContaining(`waiting for process ${process.pid},`)]);
  });

  it.each([
    ['a process that is gone', ended],
    ['a process whose number another one has now', () => Promise.resolve(`${process.pid}:1`)],
    ['no process', () => Promise.resolve('')],
  ])('takes over a lock of %s', async (_name, holder) => {
    await oneAtATime(lock, nothing, () => Promise.resolve());
    await writeFile(lock, await holder());
    expect(await oneAtATime(lock, nothing, () => Promise.resolve('done'))).toBe('done');
  });
});

describe('the identity of a process', () => {
  it('matches a running process only', async () => {
    expect(isRunning(thisProcess())).toBe(true);
    expect(isRunning(`${await ended()}:1`)).toBe(false);
    for (const nobody of ['', 'x', '0:1', '-1:1']) expect(isRunning(nobody)).toBe(false);
  });
});
