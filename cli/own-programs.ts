import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiledProgram } from '../devserver/package-files.js';
import { startChild } from '../devserver/processes/child.js';
import { isText, printDocument, type Cli, type Environment } from './cli.js';
import type { ExitStatus } from './exit-status.js';
import { exitStatusOf } from './exit-status.js';

/** Runs another of our programs in place of this one: same terminal, and its exit status becomes ours. */
export async function runInForeground(
  program: string,
  args: readonly string[],
  options: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<ExitStatus> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...options.env },
    stdio: 'inherit',
  });
  // Ctrl-C reaches the child directly; a signal sent only to this process has to be forwarded.
  options.signal.addEventListener('abort', () => void child.kill('SIGTERM'), { once: true });
  await once(child, 'exit');
  if (options.signal.aborted && child.exitCode === null) return 'interrupted';
  return exitStatusOf(child.exitCode) ?? 'failed';
}

/** The first start may download or build a Temporal server. */
const READY_WITHIN_MS = 600_000;

/**
 * Runs a serving verb in a process of its own and returns when it is ready, so that a script can use it in its next
 * line.
 */
export async function runInBackground(
  cli: Cli,
  {
    verb,
    words,
    isReady,
    logFile,
  }: {
    readonly verb: string;
    /** Its flags, as they are typed. */
    readonly words: readonly string[];
    /** Whether this line of its output reports readiness. */
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
  if (!isText(cli)) {
    printDocument(cli, 'BackgroundStarted', { verb, pid: child.pid, logFile });
    return 'reached';
  }
  const ends = `end it with: kill ${String(child.pid)}`;
  cli.terminal.out(`${cli.theme.mark('ok')} ${verb} is ready, its log is ${logFile}; ${ends}\n`);
  return 'reached';
}
