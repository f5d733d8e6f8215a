import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiledProgram } from '../devserver/package-files.js';
import { startChild } from '../devserver/processes/child.js';
import type { Cli, Environment } from './cli.js';
import type { ExitStatus } from './exit-status.js';
import { exitStatusOf } from './exit-status.js';

/** Runs a program of ours in place of this one: same terminal, its end is ours. */
export async function runInForeground(
  program: string,
  args: readonly string[],
  options: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<ExitStatus> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...options.env },
    stdio: 'inherit',
  });
  // Ctrl-C reaches the child by itself; a signal sent to us alone has to be passed on.
  options.signal.addEventListener('abort', () => void child.kill('SIGTERM'), { once: true });
  await once(child, 'exit');
  if (options.signal.aborted && child.exitCode === null) return 'interrupted';
  return exitStatusOf(child.exitCode) ?? 'failed';
}

/** The first start may download or build a Temporal server. */
const READY_WITHIN_MS = 600_000;

/** Runs a verb that serves as a process of its own and comes back when it is ready: so that lines below it can be pasted. */
export async function runInBackground(
  cli: Cli,
  {
    verb,
    words,
    isReady,
    logFile,
  }: {
    readonly verb: string;
    /** Its flags, as they would be typed. */
    readonly words: readonly string[];
    /** Whether this line of its output says that it serves. */
    readonly isReady: (line: string) => boolean;
    readonly logFile: string;
  },
): Promise<ExitStatus> {
  const child = await startChild({
    ...{ name: verb, program: compiledProgram('cli', 'main.js'), logFile, env: cli.env },
    arguments: [verb, ...words],
    outlivesUs: true,
  });
  await child.line((line) => (isReady(line) ? line : null), READY_WITHIN_MS);
  const ends = `end it with: kill ${String(child.pid)}`;
  cli.terminal.out(`${cli.theme.mark('ok')} ${verb} serves, its log is ${logFile}; ${ends}\n`);
  return 'reached';
}
