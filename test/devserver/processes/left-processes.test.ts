import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  endLeft,
  forgetStarted,
  noteStarted,
} from '../../../devserver/processes/left-processes.js';
import { withFiles } from '../../config/given-files.js';

async function sleeper() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error('not started');
  return { child, pid };
}

describe('processes that a killed one left', () => {
  it('are ended, workers before their server, and forgotten', async () => {
    await withFiles({}, async (folder) => {
      const file = join(folder, 'started.jsonl');
      const [server, worker] = [await sleeper(), await sleeper()];
      noteStarted(file, 'server', server.pid);
      noteStarted(file, 'worker', worker.pid);
      const said: string[] = [];
      expect(await endLeft(file, (line) => said.push(line))).toEqual([]);
      expect(said).toEqual([
        expect.stringContaining(`ended the worker (pid ${worker.pid})`),
        expect.stringContaining(`ended the server (pid ${server.pid})`),
      ]);
      expect(server.child.signalCode ?? server.child.exitCode).toBe('SIGTERM');
      await expect(readFile(file)).rejects.toThrow('ENOENT');
    });
  });

  it('are left alone where the pid is another process by now, or of another start of the machine', async () => {
    await withFiles({}, async (folder) => {
      const file = join(folder, 'started.jsonl');
      const { child, pid } = await sleeper();
      noteStarted(file, 'server', pid);
      const noted = await readFile(file, 'utf8');
      for (const other of [
        noted.replace(/:\d+"/, ':1"'),
        noted.replace(/"boot":"./, '"boot":"x'),
        'no line of ours\n{"boot":"',
      ]) {
        await writeFile(file, other);
        expect(await endLeft(file, () => undefined)).toEqual([]);
        expect([child.exitCode, child.signalCode]).toEqual([null, null]);
      }
      child.kill('SIGKILL');
    });
  });

  it('are none after an end in good order', async () => {
    await withFiles({}, async (folder) => {
      const file = join(folder, 'started.jsonl');
      noteStarted(file, 'server', process.pid);
      await forgetStarted(file);
      expect(await endLeft(file, () => undefined)).toEqual([]);
    });
  });
});
