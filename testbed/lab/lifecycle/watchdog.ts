import { spawn } from 'node:child_process';
import { stateFolder } from '../host/folders.js';
import { ownProgram } from '../host/own-program.js';
import { cleanLab, labOwner } from './clean.js';
import { thisProcess } from '../../../devserver/process-identity.js';

/** Stops the watchdog without cleaning; the owner must have removed the lab before. */
export type StopWatchdog = () => void;

/**
 * Starts a process that holds one end of a pipe whose other end is ours. However this process ends, even by SIGKILL,
 * the kernel closes our end, and the watchdog cleans the lab.
 */
export function startWatchdog(lab: number): StopWatchdog {
  const program = ownProgram();
  const child = spawn(process.execPath, [program, 'watchdog', String(lab), thisProcess()], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C or the end of the owner's process group must not end it too.
    detached: true,
    cwd: '/',
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return () => {
    child.stdin.end();
  };
}

/** The watchdog itself: waits for the end of its input, then cleans the lab if it still belongs to that owner. */
export async function watch(lab: number, owner: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => undefined);
  for await (const _ of process.stdin);
  // A regular shutdown removes the folder first, and the number may belong to another owner by now.
  if (labOwner(stateFolder(lab)) === owner) await cleanLab(lab);
}
