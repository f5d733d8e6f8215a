import { afterEach, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Child } from '../../../devserver/processes/child.js';
import { startChild } from '../../../devserver/processes/child.js';
import { keepAlive } from '../../../devserver/processes/keep-alive.js';
import { withFiles } from '../../config/given-files.js';

const SERVES = `process.stdout.write('starting\\n{"ready":true,"pid":' + process.pid + '}\\n');
process.on('SIGTERM', () => { process.stdout.write('bye\\n'); process.exit(0); });
setInterval(() => undefined, 1000);`;
const DEAF = `process.on('SIGTERM', () => undefined); process.stdout.write('up\\n'); setInterval(() => undefined, 1000);`;
const FAILS = `process.stderr.write('no such inventory\\n'); process.exit(3);`;

const running: Child[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) process.kill(child.pid, 'SIGKILL');
});

const ready = (line: string): string | null => (line.startsWith('{"ready"') ? line : null);

async function start(folder: string, code: string): Promise<Child> {
  const program = join(folder, 'program.mjs');
  await writeFile(program, code);
  const logFile = join(folder, 'logs', 'child.log');
  return startChild({ name: 'helper', program, arguments: [], env: {}, logFile });
}

describe('a child process', () => {
  it('a child is ready when it reports so, logs its output, and ends when stopped', async () => {
    await withFiles({}, async (folder) => {
      const child = await start(folder, SERVES);
      expect(await child.line(ready, 10_000)).toBe(`{"ready":true,"pid":${String(child.pid)}}`);
      await child.stop();
      expect(await child.ended).toBe('exit 0');
      expect(await readFile(child.logFile, 'utf8')).toBe(
        `starting\n{"ready":true,"pid":${String(child.pid)}}\nbye\n`,
      );
      await child.stop();
    });
  });

  it('a child that ends at once is reported with the last line of its log', async () => {
    await withFiles({}, async (folder) => {
      const child = await start(folder, FAILS);
      await expect(child.line(ready, 10_000)).rejects.toThrow(
        'helper ended at once; last line of its log: no such inventory',
      );
    });
  });

  it('a child is distinguished from the one that wrote to the same log before', async () => {
    await withFiles({}, async (folder) => {
      const first = await start(folder, SERVES);
      await first.line(ready, 10_000);
      await first.stop();
      const second = await start(folder, SERVES);
      expect(await second.line(ready, 10_000)).toContain(String(second.pid));
      await second.stop();
    });
  });

  it('a child that never gets ready is reported with its log file', async () => {
    await withFiles({}, async (folder) => {
      const child = await start(folder, DEAF);
      running.push(child);
      await expect(child.line(ready, 300)).rejects.toThrow(`its log: ${child.logFile}`);
    });
  });
});

describe('a process that is kept alive', () => {
  it('a kept process is restarted when it dies, and not when it is stopped', async () => {
    await withFiles({}, async (folder) => {
      const said: string[] = [];
      let backAgain: () => void = () => undefined;
      const back = new Promise<void>((resolve) => (backAgain = resolve));
      const kept = await keepAlive(
        () => start(folder, SERVES),
        (line) => {
          said.push(line);
          if (line.includes('runs again')) backAgain();
        },
      );
      const first = kept.current();
      await first.line(ready, 10_000);
      process.kill(first.pid, 'SIGKILL');
      await back;
      await kept.current().line(ready, 10_000);
      await kept.stop();
      expect(await kept.current().ended).toBe('exit 0');
      expect(said).toEqual([
        'helper ended (SIGKILL); starting it again in 500 ms',
        `helper runs again (pid ${String(kept.current().pid)})`,
      ]);
    });
  });
});
