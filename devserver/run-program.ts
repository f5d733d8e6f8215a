import { spawn } from 'node:child_process';

/** How a program ended. `code` is null when a signal ended it or it could not be started (`stderr` then says why). */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Called with each line of stderr as it comes, for progress. */
  readonly onErrorLine?: (line: string) => void;
}

/** Runs a program to its end with no stdin. Never rejects: a program that cannot be started is a result too. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: options.env,
      cwd: options.cwd,
      signal: options.signal,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      for (const line of text.split('\n')) if (line.trim() !== '') options.onErrorLine?.(line);
    });
    child.once('error', (error) => {
      resolve({ code: null, stdout, stderr: `${stderr}${error.message}` });
    });
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}
