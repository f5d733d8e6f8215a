import { compiledProgram } from '../../devserver/package-files.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { runInForeground } from '../own-programs.js';

/** `demo` and `rehearse`: a program of the testbed, run in this terminal with its arguments verbatim. */
export async function demo(cli: Cli): Promise<ExitStatus> {
  return runInForeground(compiledProgram('testbed', 'demo', 'main.js'), cli.typed, cli);
}
