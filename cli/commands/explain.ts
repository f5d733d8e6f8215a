import type { FindingCode } from '../../domain/findings/catalogue.js';
import { entryOf, explain, FINDING_CODES, isFindingCode } from '../../domain/findings/catalogue.js';
import { didYouMean } from '../../config/nearest-name.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { isText, printDocument } from '../cli.js';
import { UsageError } from '../cli-error.js';

/** `explain CODE`: the page of one code, or the list of all. */
export async function explainCode(cli: Cli): Promise<ExitStatus> {
  const [written] = cli.arguments;
  if (written === undefined) return listCodes(cli);
  const code = written.toUpperCase();
  if (!isFindingCode(code)) {
    throw new UsageError(
      `unknown code ${written}${didYouMean(code, FINDING_CODES)} (all: ccm-migrate explain --list)`,
    );
  }
  if (isText(cli)) cli.terminal.out(explain(code));
  else printDocument(cli, 'CodePage', { code, ...entryOf(code) });
  return 'reached';
}

function listCodes(cli: Cli): ExitStatus {
  const page = (code: FindingCode) => ({ code, title: entryOf(code).title });
  const codes = FINDING_CODES.map(page);
  if (isText(cli)) cli.terminal.out(codes.map(({ code, title }) => `${code}  ${title}\n`).join(''));
  else printDocument(cli, 'CodeList', { codes });
  return 'reached';
}
