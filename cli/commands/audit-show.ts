import { accountText } from '../audit/account/account-text.js';
import { type ChosenExport, chosenExports } from '../audit/account/chosen-exports.js';
import { accountOfRun } from '../audit/account/run-account.js';
import {
  checkLines,
  givenYardstick,
  proofStatus,
  type ProvenExport,
  provenExport,
  reportDoubts,
  type Yardstick,
} from '../audit/proven-export.js';
import { type Cli, isText, printDocument, screen } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import type { RunAccount } from '../../config/outputs/account-document.js';

/**
 * `audit show`: who asked for a run, how that is known, what it changed, why, and what of it is proven. Reads exports alone, and
 * ends as `audit verify` does, for the worst of them.
 */
export async function auditShow(cli: Cli): Promise<ExitStatus> {
  const yardstick = await givenYardstick(cli);
  const chosen = await chosenExports(cli);
  const shown: ShownExport[] = [];
  for (const each of chosen) {
    const one = await shownExport(cli, each, yardstick);
    if (isText(cli))
      cli.terminal.out(`${shown.length === 0 ? '' : '\n\n'}${textOf(cli, one).join('\n')}\n`);
    shown.push(one);
  }
  if (isText(cli)) for (const { proven } of shown) reportDoubts(cli, proven);
  else
    printDocument(cli, 'AuditAccount', { trust: trustOf(yardstick), runs: shown.map(documentOf) });
  return proofStatus(shown.map(({ proven }) => proven));
}

interface ShownExport {
  readonly file: string;
  readonly proven: ProvenExport;
  /** Null where the file is no export. */
  readonly account: RunAccount | null;
}

async function shownExport(
  cli: Cli,
  { file, text, run }: ChosenExport,
  yardstick: Yardstick,
): Promise<ShownExport> {
  const proven = await provenExport(cli, text, yardstick);
  const { content } = proven;
  const { trust } = yardstick;
  const account =
    content === null || run === null ? null : await accountOfRun({ content, run, trust });
  return { file, proven, account };
}

function textOf(cli: Cli, { file, proven: { checks }, account }: ShownExport): readonly string[] {
  const { theme } = cli;
  const { width = Infinity } = screen(cli);
  const head =
    account === null
      ? [file]
      : accountText(account, checks, { theme, width, full: cli.options.flag('full') });
  return [...head, '', theme.paint('strong', 'Checks'), ...checkLines(cli, checks)];
}

function documentOf({ file, proven: { passed, checks }, account }: ShownExport) {
  return { file, account, passed, checks: [...checks] };
}

function trustOf({ trust }: Yardstick): string {
  return trust === null ? '' : `${trust.name} version ${String(trust.version)}`;
}
