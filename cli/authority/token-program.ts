import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { LONGEST_TOKEN } from '../../domain/authority/signed-envelope.js';
import type { Environment } from '../cli.js';

/** How the command of a key is run. */
export interface TokenProgram {
  readonly env: Environment;
  readonly withinMs: number;
  readonly signal: AbortSignal | null;
}

/** Why a command gave no token that signs. Neither the command nor what it printed is in it: both may hold secrets. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
}

/**
 * What a command prints, without the end of its line. It is run by `sh -c`, without input, in bounded time and length; what it
 * says on stderr is dropped, because tools show their requests there.
 * @throws TokenFailure
 */
export async function tokenPrintedBy(command: string, program: TokenProgram): Promise<string> {
  const { env, withinMs, signal } = program;
  signal?.throwIfAborted();
  // Its own process group, so that a pipeline ends as a whole.
  const child = spawn('/bin/sh', ['-c', command], {
    ...{ stdio: ['ignore', 'pipe', 'ignore'], env, detached: true },
  });
  let why = '';
  const end = (reason: string): void => {
    why ||= reason;
    kill(child);
  };
  const timer = setTimeout(end, withinMs, `printed no token within ${String(withinMs / 1000)} s`);
  const interrupt = (): void => end('was interrupted');
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    const printed = await outputOf(child, () => end('printed more than any token is long'));
    signal?.throwIfAborted();
    if (why === '' && child.exitCode !== 0) why = `ended with ${endOf(child)}: ${BY_HAND}`;
    if (why !== '') throw new TokenFailure(`the command of the key ${why}`);
    return printed.replace(/\r?\n$/, '');
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
  }
}

const BY_HAND = 'run it by hand, with a CCM_MIGRATE_AUDIENCE of your own, to see why';

type Running = ChildProcessByStdio<null, Readable, null>;

function endOf({ exitCode, signalCode }: Running): string {
  return signalCode ?? String(exitCode);
}

async function outputOf(child: Running, tooLong: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > LONGEST_TOKEN + LINE_END) tooLong();
    else chunks.push(chunk);
  });
  await once(child, 'close').catch(() => {
    // Node's own error has the command in it.
    throw new TokenFailure('the command of the key cannot be started: it is run by /bin/sh');
  });
  return Buffer.concat(chunks).toString('latin1');
}

const LINE_END = 2;

function kill({ pid, stdout }: Running): void {
  stdout.destroy();
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended by itself.
  }
}
