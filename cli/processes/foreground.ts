import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../cli.js';
import type { Ending } from '../endings.js';

/** Runs a program of ours in place of this one: same terminal, its end is ours. */
export async function runInForeground(
  program: string,
  args: readonly string[],
  options: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<Ending> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...options.env },
    stdio: 'inherit',
  });
  // Ctrl-C reaches the child by itself; a signal sent to us alone has to be passed on.
  options.signal.addEventListener('abort', () => void child.kill('SIGTERM'), { once: true });
  await once(child, 'exit');
  if (options.signal.aborted) return 'reached';
  return child.exitCode === 0 ? 'reached' : 'failed';
}
