import { accountText } from '../audit/account/account-text.js';
import { type ChosenExport, chosenExports } from '../audit/account/chosen-exports.js';
import { accountOfFleet } from '../audit/account/fleet-account.js';
import { fleetAccountText } from '../audit/account/fleet-account-text.js';
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
import type { FleetAccount, RunAccount } from '../../config/outputs/account-document.js';

/**
 * `audit show`: who asked for a run, how that is known, what it changed, why, and what of it is proven; and the same of fleets. Reads
 * exports alone, and ends as `audit verify` does, for the worst of them.
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
  else printAccounts(cli, yardstick, shown);
  return proofStatus(shown.map(({ proven }) => proven));
}

type ShownExport = { readonly file: string; readonly proven: ProvenExport } & (
  | { readonly kind: 'run'; readonly account: RunAccount | null }
  | { readonly kind: 'fleet'; readonly account: FleetAccount | null }
);

async function shownExport(
  cli: Cli,
  chosen: ChosenExport,
  yardstick: Yardstick,
): Promise<ShownExport> {
  const { file, text } = chosen;
  const proven = await provenExport(cli, text, yardstick);
  const { content } = proven;
  const { trust } = yardstick;
  if (chosen.kind === 'fleet') {
    const isFleets = content?.kind === 'FleetAuditExport';
    const account = isFleets ? await accountOfFleet({ content, fleet: chosen.of, trust }) : null;
    return { kind: 'fleet', file, proven, account };
  }
  const { of: run } = chosen;
  const isRuns = content?.kind === 'AuditExport' && run !== null;
  const account = isRuns ? await accountOfRun({ content, run, trust }) : null;
  return { kind: 'run', file, proven, account };
}

function textOf(cli: Cli, shown: ShownExport): readonly string[] {
  const { checks } = shown.proven;
  const { theme } = cli;
  return [...headOf(cli, shown), '', theme.paint('strong', 'Checks'), ...checkLines(cli, checks)];
}

function headOf(cli: Cli, shown: ShownExport): readonly string[] {
  const { width = Infinity } = screen(cli);
  const layout = { theme: cli.theme, width, full: cli.options.flag('full') };
  const { checks } = shown.proven;
  if (shown.account === null) return [shown.file];
  return shown.kind === 'run'
    ? accountText(shown.account, checks, layout)
    : fleetAccountText(shown.account, checks, layout);
}

function printAccounts(cli: Cli, { trust }: Yardstick, shown: readonly ShownExport[]): void {
  printDocument(cli, 'AuditAccount', {
    trust: trust === null ? '' : `${trust.name} version ${String(trust.version)}`,
    runs: shown.flatMap((each) =>
      each.kind === 'run' ? [{ ...provenPart(each), account: each.account }] : [],
    ),
    fleets: shown.flatMap((each) =>
      each.kind === 'fleet' ? [{ ...provenPart(each), account: each.account }] : [],
    ),
  });
}

function provenPart({ file, proven: { passed, checks } }: ShownExport) {
  return { file, passed, checks: [...checks] };
}
