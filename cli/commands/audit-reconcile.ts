import { WORKER_USER } from '../../domain/access/worker-role.js';
import { type ReconciledRun, reconcileRequests } from '../../domain/evidence/reconcile-requests.js';
import { apiWrites } from '../audit/api-audit-log.js';
import { reconciledRun } from '../audit/reconciled-run.js';
import { type Cli, isText, printDocument } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { counted } from '../terminal/wording.js';
import { readRegularText } from '../../config/regular-file.js';

/** `audit reconcile EXPORT…`: what an API server carried out for the workers against what the runs of its cluster have on record. */
export async function auditReconcile(cli: Cli): Promise<ExitStatus> {
  const path = cli.options.text('apiAudit');
  if (path === null) throw new UsageError("--api-audit is required: the API server's audit log");
  const user = cli.options.text('user') ?? WORKER_USER;
  const runs = await runsIn(cli.arguments);
  const writes = await apiWrites(path, user);
  const found = reconcileRequests(writes, runs);
  const { faults, matched, renewals, refused } = found;
  if (isText(cli)) {
    const { theme, terminal } = cli;
    for (const fault of faults) terminal.out(`${theme.mark('failed')} ${fault}\n`);
    const told = `${counted(matched, 'write')} of ${user} on record, ${counted(renewals, 'write')} of the fence, ${String(refused)} refused`;
    terminal.out(`${theme.mark(faults.length === 0 ? 'ok' : 'waiting')} ${told}\n`);
  } else {
    printDocument(cli, 'AuditReconciliation', { user, ...found, faults: [...faults] });
  }
  // A log without a single request of ours is of another cluster or another user.
  if (faults.length > 0) return 'checksFailed';
  return writes.length > 0 ? 'reached' : 'inconclusive';
}

async function runsIn(files: readonly string[]): Promise<readonly ReconciledRun[]> {
  const read = await Promise.all(
    files.map(async (file) => reconciledRun(file, await readRegularText(file).catch(() => ''))),
  );
  const clusters = new Set(read.map(({ workflowId }) => workflowId));
  if (clusters.size > 1) {
    throw new UsageError('an audit log is of one cluster, these exports are not');
  }
  return read.map(({ run }) => run);
}
