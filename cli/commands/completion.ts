import { didYouMean } from '../../config/nearest-name.js';
import type { Cli } from '../cli.js';
import { completionScript, SHELLS, isShell } from '../completion/scripts.js';
import type { Ending } from '../endings.js';
import { WrongUsage } from '../refusal.js';
import { ALL_VERBS } from '../verbs/all-verbs.js';

/** `completion SHELL`: a script made from the same table of verbs as help. */
export async function completion(cli: Cli): Promise<Ending> {
  const shell = cli.arguments[0] ?? '';
  if (!isShell(shell)) {
    throw new WrongUsage(
      `unknown shell ${shell}${didYouMean(shell, SHELLS)} (known: ${SHELLS.join(', ')})`,
    );
  }
  cli.terminal.out(completionScript(shell, ALL_VERBS));
  return 'reached';
}
