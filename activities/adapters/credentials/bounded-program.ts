import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that prints a credential. */
export interface PrintingProgram {
  /** Found on PATH, or an absolute path. */
  readonly command: string;
  readonly arguments: readonly string[];
  /** All of it: nothing else is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ProgramLimits {
  readonly withinMs: number;
  readonly bytes: number;
  /** Ends the program. */
  readonly signal?: AbortSignal | null;
}

/**
 * `exit`: its status, or the signal that ended it; `late`, `long` or `interrupted` where it was ended for that, `absent` where it
 * cannot be started.
 */
export interface Printed {
  readonly exit: string;
  readonly output: Buffer;
}

/** Runs it once: without input, in bounded time and length. What it says on stderr is dropped, because it may hold secrets. */
export async function printedBy(
  { command, arguments: given, env }: PrintingProgram,
  { withinMs, bytes, signal = null }: ProgramLimits,
): Promise<Printed> {
  const child = spawn(command, [...given], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
    // Its own process group, so that children of a script, and whole pipelines, end with it.
    detached: true,
  });
  let reason: string | null = null;
  const end = (why: string): void => {
    reason ??= why;
    killGroup(child);
    child.stdout.destroy();
  };
  const timer = setTimeout(end, withinMs, 'late');
  const interrupt = (): void => end('interrupted');
  signal?.addEventListener('abort', interrupt, { once: true });
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > bytes) end('long');
    else chunks.push(chunk);
  });
  try {
    await once(child, 'close');
  } catch {
    reason ??= 'absent';
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
  }
  const exit = reason ?? child.signalCode ?? String(child.exitCode);
  return { exit, output: Buffer.concat(chunks) };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended by itself.
  }
}
