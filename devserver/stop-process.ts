import type { ChildProcess } from 'node:child_process';

/** Also true for one that never started: it has no pid. */
export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** SIGTERM first, then SIGKILL. Does nothing when it has already ended. */
export async function stopProcess(child: ChildProcess, withinMs: number): Promise<void> {
  if (hasExited(child)) return;
  child.ref();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await ended;
  clearTimeout(force);
}
