import process from 'node:process';
import { interruptOnSignals } from './interruption.js';
import { run } from './run.js';
import { processTerminal } from './terminal/terminal.js';
import type { Verb } from './verbs/verb.js';
import { watchOutput } from './written-output.js';

/** Runs this process's command line with its terminal, environment and signals, and returns the exit code. */
export async function runInProcess(
  verbs: readonly Verb[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const interruption = new AbortController();
  interruptOnSignals(interruption);
  const output = watchOutput(process, interruption);
  const code = await run(
    process.argv.slice(2),
    {
      terminal: processTerminal(process.stdin, process.stdout, process.stderr),
      env,
      signal: interruption.signal,
    },
    verbs,
  );
  return output.exitCode(code);
}
