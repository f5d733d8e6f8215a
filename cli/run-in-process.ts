import process from 'node:process';
import { run } from './run.js';
import { processTerminal } from './terminal/terminal.js';
import type { Verb } from './verbs/verb.js';

/** Runs this process's command line with its terminal, environment and signals, and returns the exit code. */
export async function runInProcess(
  verbs: readonly Verb[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal means that the graceful shutdown takes too long.
      if (interruption.signal.aborted) process.exit(130);
      interruption.abort(new Error(`received ${signal}`));
    });
  }
  // A closed pipe (`| head`) is the reader's choice, not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
  return run(
    process.argv.slice(2),
    {
      terminal: processTerminal(process.stdin, process.stdout, process.stderr),
      env,
      signal: interruption.signal,
    },
    verbs,
  );
}
