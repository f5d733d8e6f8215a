import { codeDigest } from '../../config/build-id.js';
import type { FleetAuditExport } from '../../config/outputs/fleet-audit-export.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import { givenAccessPolicy } from '../authority/given-access-policy.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { member, parseJson } from '../read-json.js';
import { shownText } from '../terminal/wording.js';
import { type GivenLog, givenLog } from '../transparency/given-log.js';
import type { AuditCheck } from './audit-check.js';
import { type VerifiedFleet, verifyFleet } from './fleet/verify-fleet.js';
import { replayChecks } from './replay-export.js';
import { type Verified, verifyExport } from './verify-export.js';

/** What an audit holds exports against, as its flags name it. */
export interface Yardstick {
  readonly trust: AccessPolicy | null;
  readonly log: GivenLog | null;
  /** Digest of this installation's code. */
  readonly ownCode: string;
}

export async function givenYardstick(cli: Cli): Promise<Yardstick> {
  const path = cli.options.text('trust');
  const trust = path === null ? null : await givenAccessPolicy(path);
  return { trust, log: await givenLog(cli, trust?.logs ?? []), ownCode: await codeDigest() };
}

/** An export with everything that can be said of its truth. */
export interface ProvenExport {
  readonly checks: readonly AuditCheck[];
  /** No check failed. */
  readonly passed: boolean;
  /** Checks that prove nothing, and that `--allow` does not name. */
  readonly open: readonly string[];
  /** Null where it is no export. */
  readonly content: AuditExport | FleetAuditExport | null;
}

/** All checks of an export, replay included unless `--no-replay` says otherwise. */
export async function provenExport(
  cli: Cli,
  text: string,
  { trust, log, ownCode }: Yardstick,
): Promise<ProvenExport> {
  const { checks: offline, content } = await verifyAnyExport(text, { trust, log, ownCode });
  const isReplayed = content !== null && cli.options.flag('replay');
  const checks = [...offline, ...(isReplayed ? await replayChecks(content, cli) : [])];
  const passed = checks.every(({ result }) => result !== 'fail');
  return { checks, passed, open: stillOpen(cli, checks), content };
}

/** What can be proven offline of the export of a run, or of a fleet where a text says that it is one. */
export function verifyAnyExport(
  text: string,
  { trust, log, ownCode }: Yardstick,
): Promise<Verified | VerifiedFleet> {
  const isOfFleet = member(parseJson(text), 'kind') === 'FleetAuditExport';
  return isOfFleet
    ? verifyFleet(text, { trust, log })
    : verifyExport(text, ownCode, { trust, log });
}

function stillOpen({ options }: Cli, checks: readonly AuditCheck[]): readonly string[] {
  const allowed = options.texts('allow');
  return checks.flatMap(({ check, result }) =>
    result === 'unproven' && !allowed.includes(check) ? [check] : [],
  );
}

/** How an audit of these exports ends: as its worst one. */
export function proofStatus(proven: readonly Pick<ProvenExport, 'passed' | 'open'>[]): ExitStatus {
  if (proven.some(({ passed }) => !passed)) return 'checksFailed';
  return proven.every(({ open }) => open.length === 0) ? 'reached' : 'inconclusive';
}

const MARKS = { pass: 'ok', fail: 'failed', unproven: 'waiting' } as const;

/** One line for each check. */
export function checkLines({ theme }: Cli, checks: readonly AuditCheck[]): readonly string[] {
  return checks.map(
    ({ check, result, detail }) =>
      `${theme.mark(MARKS[result])} ${result.padEnd(8)} ${shownText(`${check}: ${detail}`)}`,
  );
}

/** Says on stderr what an audit does not accept. */
export function reportDoubts(
  cli: Cli,
  { passed, open }: Pick<ProvenExport, 'passed' | 'open'>,
): void {
  if (!passed)
    cli.terminal.err('CCM4019 the evidence is broken: keep this file and export again\n');
  if (open.length > 0)
    cli.terminal.err(
      `not proven: ${open.join(', ')}; ${trustHint(cli)}accept it with --allow ${open.map(quoted).join(' ')}\n`,
    );
}

/** Without keys to check with nothing that was signed is proven. */
function trustHint({ options }: Cli): string {
  return options.text('trust') === null ? 'give --trust FILE with the keys to believe, or ' : '';
}

function quoted(check: string): string {
  return check.includes(' ') ? `"${check}"` : check;
}
