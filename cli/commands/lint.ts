import { lintTree } from '../../config/fleet.js';
import { formatProblem } from '../../config/problems.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { isText, printDocument } from '../cli.js';

/** `lint`: everything that can be checked offline, subfolders included. */
export async function lint(cli: Cli): Promise<ExitStatus> {
  const { problems, documents, fleets } = await lintTree(cli.arguments);
  if (!isText(cli)) {
    printDocument(cli, 'LintReport', { documents, fleets: fleets.length, problems });
  } else if (problems.length === 0) {
    const noun = documents === 1 ? 'document' : 'documents';
    cli.terminal.out(`${cli.theme.mark('ok')} ${String(documents)} ${noun}, no problems\n`);
  } else {
    for (const problem of problems) cli.terminal.out(`${formatProblem(problem)}\n`);
    const noun = problems.length === 1 ? 'problem' : 'problems';
    cli.terminal.err(`${cli.theme.mark('failed')} ${String(problems.length)} ${noun}\n`);
  }
  return problems.length === 0 ? 'reached' : 'configInvalid';
}
