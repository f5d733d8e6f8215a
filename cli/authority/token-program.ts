import { printedBy } from '../../activities/adapters/credentials/bounded-program.js';
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
  const { exit, output } = await printedBy(
    { command: '/bin/sh', arguments: ['-c', command], env },
    { withinMs, bytes: LONGEST_TOKEN + LINE_END, signal },
  );
  signal?.throwIfAborted();
  if (exit !== '0') throw new TokenFailure(`the command of the key ${whyOf(exit, withinMs)}`);
  return output.toString('latin1').replace(/\r?\n$/, '');
}

function whyOf(exit: string, withinMs: number): string {
  switch (exit) {
    case 'late':
      return `printed no token within ${String(withinMs / 1000)} s`;
    case 'long':
      return 'printed more than any token is long';
    case 'absent':
      return 'cannot be started: it is run by /bin/sh';
    default:
      return `ended with ${exit}: run it by hand, with a CCM_MIGRATE_AUDIENCE of your own, to see why`;
  }
}

const LINE_END = 2;
