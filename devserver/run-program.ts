import { spawn } from 'node:child_process';

/** How a program ended. `code` is null when a signal ended it or it could not be started (`stderr` then says why). */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** That of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Its standard input; nothing by default. */
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Called with each line of stderr as it comes, for progress. */
  readonly onErrorLine?: (line: string) => void;
}

/** Runs a program to its end. Never rejects: a program that cannot be started is a result too. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  const { env, cwd, input = '', signal, onErrorLine } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...(env && { env }), cwd, signal, stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      for (const line of text.split('\n')) if (line.trim() !== '') onErrorLine?.(line);
    });
    // A program that does not read what it is given closes the pipe, which is its right.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => {
      resolve({ code: null, stdout, stderr: `${stderr}${error.message}` });
    });
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

/** As above for a program that has to succeed; the error names it and its last words. */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, options);
  if (code === 0) return stdout;
  const words = [program, ...args].join(' ');
  const why = stderr.trim().split('\n').slice(-5).join('\n');
  throw new Error(`${words}: ${code === null ? 'could not be run' : `exit ${code}`}: ${why}`);
}
