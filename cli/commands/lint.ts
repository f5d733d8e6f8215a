import { lintTree } from '../../config/fleet.js';
import { formatProblem, formatWarning } from '../../config/problems.js';
import { pastDates } from '../../config/rules/past-dates.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { isText, printDocument } from '../cli.js';
import { counted } from '../terminal/wording.js';

/** `lint`: everything that can be checked offline, subfolders included. Warnings change nothing about its exit status. */
export async function lint(cli: Cli): Promise<ExitStatus> {
  const { problems, documents, fleets, fleetDocuments } = await lintTree(cli.arguments);
  const warnings = fleetDocuments.flatMap((fleet) => pastDates(fleet, Date.now()));
  if (!isText(cli)) {
    printDocument(cli, 'LintReport', { documents, fleets: fleets.length, problems, warnings });
    return problems.length === 0 ? 'reached' : 'configInvalid';
  }
  const lines = [...problems.map(formatProblem), ...warnings.map(formatWarning)];
  for (const line of lines) cli.terminal.out(`${line}\n`);
  const more = warnings.length === 0 ? '' : `, ${counted(warnings.length, 'warning')}`;
  if (problems.length === 0) {
    const all = counted(documents, 'document');
    cli.terminal.out(`${cli.theme.mark('ok')} ${all}, no problems${more}\n`);
    return 'reached';
  }
  cli.terminal.err(`${cli.theme.mark('failed')} ${counted(problems.length, 'problem')}${more}\n`);
  return 'configInvalid';
}
