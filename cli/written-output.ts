import type { Writable } from 'node:stream';
import { EXIT_CODES } from './exit-status.js';

export interface WrittenOutput {
  /** The exit code of a command that would end with `code`, once everything is written or known to be lost. */
  readonly exitCode: (code: number) => Promise<number>;
}

const CLOSED_BY_READER = 'EPIPE';

/**
 * Watches what happens to the output. A reader that has seen enough (`| head`) ends what still follows or serves, in good order:
 * nothing is left behind. Output that could not be written (a full disk) is an error, because scripts take the exit code for the
 * truth about it.
 */
export function watchOutput(
  { stdout, stderr }: { readonly stdout: Writable; readonly stderr: Writable },
  interruption: AbortController,
): WrittenOutput {
  let lost: string | null = null;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A terminal that went away takes its output with it: the signal has said so.
    if (lost !== null || interruption.signal.aborted) return;
    lost = error.code ?? error.message;
    if (lost === CLOSED_BY_READER) interruption.abort(new Error('the output is closed'));
    else
      stderr.write(`the output could not be written (${lost}): make room, or send it elsewhere\n`);
  });
  // There is nowhere left to report it.
  stderr.on('error', () => undefined);
  return {
    exitCode: async (code) => {
      await new Promise<void>((resolve) => {
        stdout.write('', () => resolve());
      });
      return lost === null || lost === CLOSED_BY_READER ? code : EXIT_CODES.failed;
    },
  };
}
