import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import type { Release } from '../binaries/binary-cache.js';
import { ownProgram } from '../host/own-program.js';
import { MANAGER_OF_PROGRAM } from './watched-process.js';
import type { MonitorOptions } from './monitor-line.js';

/** Stops the process monitor; resolves when it writes no more. */
export type EndMonitor = () => Promise<void>;

/** Starts the process that monitors the managers of a lab and records what it observes. */
export function startMonitor(
  order: Pick<MonitorOptions, 'lab' | 'file' | 'clients'>,
  releases: readonly Release[],
): EndMonitor {
  const program = ownProgram();
  const log = openSync(`${order.file}.log`, 'a', 0o600);
  const child = spawn(process.execPath, [program, 'monitor'], {
    stdio: ['pipe', 'ignore', log],
    // Ctrl-C goes to the whole foreground group; the monitor ends on its owner's request or with its owner.
    detached: true,
    cwd: '/',
  });
  closeSync(log);
  const ended = once(child, 'exit').catch(() => undefined);
  const { stdin } = child;
  if (stdin === null) throw new Error('the process monitor has no input');
  stdin.on('error', () => undefined);
  stdin.write(`${JSON.stringify({ ...order, programs: programsOf(releases) })}\n`);
  child.unref();
  return async () => {
    stdin.end();
    await ended;
  };
}

function programsOf(releases: readonly Release[]): MonitorOptions['programs'] {
  return releases.flatMap((release) =>
    Object.entries(MANAGER_OF_PROGRAM).map(([name, manager]) => ({
      manager,
      version: release.version,
      bytes: statSync(`${release.bin}/${name}`).size,
    })),
  );
}
