import {
  checkLines,
  givenYardstick,
  proofStatus,
  provenExport,
  reportDoubts,
} from '../audit/proven-export.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { UsageError } from '../cli-error.js';
import { readRegularText } from '../../config/regular-file.js';

/**
 * `audit verify FILE`: needs only the file and this installation, and of whom to trust their keys. Nothing may stay
 * unproven but what `--allow` names.
 */
export async function auditVerify(cli: Cli): Promise<ExitStatus> {
  const path = cli.arguments[0] ?? '';
  const text = await readRegularText(path).catch(() => null);
  if (text === null) throw new UsageError(`${path} cannot be read`);
  const proven = await provenExport(cli, text, await givenYardstick(cli));
  const { checks, passed } = proven;
  if (isText(cli)) {
    cli.terminal.out(`${checkLines(cli, checks).join('\n')}\n`);
    reportDoubts(cli, proven);
  } else {
    printDocument(cli, 'AuditVerification', { passed, checks });
  }
  return proofStatus([proven]);
}
