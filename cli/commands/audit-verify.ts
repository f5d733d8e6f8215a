import { readFile } from 'node:fs/promises';
import { codeDigest } from '../../config/build-id.js';
import type { AuditCheck } from '../audit/audit-check.js';
import { replayChecks, verifyExport } from '../audit/verify-export.js';
import { givenAccessPolicy } from '../authority/given-access-policy.js';
import { givenLog } from '../transparency/given-log.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { UsageError } from '../cli-error.js';

const MARKS = { pass: 'ok', fail: 'failed', unproven: 'waiting' } as const;

/**
 * `audit verify FILE`: needs only the file and this installation, and of whom to trust their keys. With `--trust` nothing may
 * stay unproven but what `--allow` names.
 */
export async function auditVerify(cli: Cli): Promise<ExitStatus> {
  const path = cli.arguments[0] ?? '';
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new UsageError(`${path} cannot be read`);
  const checks = await allChecks(cli, text);
  const passed = checks.every(({ result }) => result !== 'fail');
  const open = stillOpen(cli, checks);
  if (isText(cli)) {
    for (const { check, result, detail } of checks) {
      cli.terminal.out(
        `${cli.theme.mark(MARKS[result])} ${result.padEnd(8)} ${check}: ${detail}\n`,
      );
    }
    if (!passed)
      cli.terminal.err('CCM4019 the evidence is broken: keep this file and export again\n');
    if (open.length > 0)
      cli.terminal.err(`not proven: ${open.join(', ')}; --allow NAME accepts one that cannot be\n`);
  } else {
    printDocument(cli, 'AuditVerification', { passed, checks });
  }
  if (!passed) return 'checksFailed';
  return open.length === 0 ? 'reached' : 'inconclusive';
}

/** Only an audit that trusts someone asks for proof of everything. */
function stillOpen({ options }: Cli, checks: readonly AuditCheck[]): readonly string[] {
  if (options.text('trust') === null) return [];
  const allowed = options.texts('allow');
  return checks.flatMap(({ check, result }) =>
    result === 'unproven' && !allowed.includes(check) ? [check] : [],
  );
}

async function allChecks(cli: Cli, text: string): Promise<readonly AuditCheck[]> {
  const path = cli.options.text('trust');
  const trust = path === null ? null : await givenAccessPolicy(path);
  const log = await givenLog(cli, trust?.logs ?? []);
  const { checks, content } = await verifyExport(text, await codeDigest(), { trust, log });
  if (content === null || !cli.options.flag('replay')) return checks;
  return [...checks, ...(await replayChecks(content, cli.env))];
}
