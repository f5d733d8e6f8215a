import { readFile } from 'node:fs/promises';
import { codeDigest } from '../../config/build-id.js';
import type { AuditCheck } from '../audit/audit-check.js';
import { replayChecks, verifyExport } from '../audit/verify-export.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { UsageError } from '../cli-error.js';

const MARKS = { pass: 'ok', fail: 'failed', skipped: 'waiting' } as const;

/** `audit verify FILE`: needs only the file and this installation. */
export async function auditVerify(cli: Cli): Promise<ExitStatus> {
  const path = cli.arguments[0] ?? '';
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new UsageError(`${path} cannot be read`);
  const checks = await allChecks(cli, text);
  const passed = checks.every(({ result }) => result !== 'fail');
  if (isText(cli)) {
    for (const { check, result, detail } of checks) {
      cli.terminal.out(
        `${cli.theme.mark(MARKS[result])} ${result.padEnd(7)} ${check}: ${detail}\n`,
      );
    }
    if (!passed)
      cli.terminal.err('CCM4019 the evidence is broken: keep this file and export again\n');
  } else {
    printDocument(cli, 'AuditVerification', { passed, checks });
  }
  return passed ? 'reached' : 'checksFailed';
}

async function allChecks(cli: Cli, text: string): Promise<readonly AuditCheck[]> {
  const { checks, content } = await verifyExport(text, await codeDigest());
  if (content === null || !cli.options.flag('replay')) return checks;
  return [...checks, ...(await replayChecks(content, cli.env))];
}
