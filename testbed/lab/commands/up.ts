import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { READY } from '../daemon/run-daemon.js';
import { ownProgram } from '../host/own-program.js';
import { showStatus } from './inspect.js';
import type { Command } from './lab-command.js';

/** Starts the process that owns the lab, prints its progress until everything is ready, and leaves it running. */
export async function up(command: Command): Promise<number> {
  const startedAt = Date.now();
  const words = command.given.map((word) => (word === 'up' ? 'daemon' : word));
  const child = spawn(process.execPath, [ownProgram(), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...command.env },
    cwd: '/',
  });
  const stop = (): void => void child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  child.stderr.pipe(process.stderr);
  const ready = new Promise<'ready'>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes(READY)) resolve('ready');
    });
  });
  const outcome = await Promise.race([ready, once(child, 'exit')]);
  if (outcome !== 'ready') return child.exitCode ?? 1;
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  process.stderr.write(`ready after ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n\n`);
  return showStatus(command);
}
