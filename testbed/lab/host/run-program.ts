import { spawn } from 'node:child_process';

/** How a program ended. `code` is null when a signal ended it or it could not be started (`stderr` then explains). */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Called with each line of stderr as it arrives, for progress. */
  readonly onErrorLine?: (line: string) => void;
}

/** Runs a program to completion. Never rejects: a program that cannot be started is a result too. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...(options.env === undefined ? {} : { env: options.env }),
      cwd: options.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      for (const line of text.split('\n')) if (line.trim() !== '') options.onErrorLine?.(line);
    });
    // A program that does not read its input closes the pipe, which is not an error.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    child.once('error', (error) => {
      resolve({ code: null, stdout, stderr: `${stderr}${error.message}` });
    });
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

/** As above for a program that must succeed; the error contains its command and the end of its output. */
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
