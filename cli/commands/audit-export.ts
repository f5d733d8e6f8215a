import { writeFile } from 'node:fs/promises';
import type { EvidenceStore } from '../../activities/evidence/evidence-store.js';
import type { OpenEvidence } from '../../activities/evidence/open-evidence.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import { evidenceForAudit } from '../audit/evidence-for-audit.js';
import { exportEnded, exportUntilLeft } from '../audit/export-ended.js';
import { exportRun, exportText } from '../audit/export-run.js';
import type { Cli } from '../cli.js';
import { isText } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { CliError, UsageError } from '../cli-error.js';
import { withLazyTemporal, withTemporal } from '../runs/connection.js';
import { findRun } from '../runs/find-run.js';
import { type RunView, viewRun } from '../runs/run-view.js';
import { counted } from '../terminal/wording.js';

/** `audit export`: one JSON document, to a file or to stdout. */
export async function auditExport(cli: Cli): Promise<ExitStatus> {
  const evidence = await evidenceForAudit(cli);
  try {
    return await exportFrom(cli, evidence);
  } finally {
    await evidence.close();
  }
}

async function exportFrom(cli: Cli, { store, place }: OpenEvidence): Promise<ExitStatus> {
  if (cli.options.flag('all')) return exportAll(cli, store);
  if (cli.options.durationMs('every') !== null) throw new UsageError('--every goes with --all');
  const { content, view } = await withTemporal(cli, async (client) => {
    const workflowId = await findRun(cli, client);
    const view = await viewRun(client, workflowId);
    const order = { workflowId, runId: view.runId, cluster: view.cluster, evidence: store };
    return { content: await exportRun(client, order), view };
  });
  const out = cli.options.text('out');
  if (out === null) {
    cli.terminal.out(exportText(content));
    refuseIncomplete(content, view, place);
    return 'reached';
  }
  await writeFile(out, exportText(content), { mode: 0o600 });
  refuseIncomplete(content, view, place);
  if (isText(cli)) {
    const { records, digest } = content;
    const mark = cli.theme.mark('ok');
    cli.terminal.out(`${mark} ${out}: ${counted(records.length, 'record')}, ${digest}\n`);
  }
  return 'reached';
}

/** `--all`: each run that has ended, to a folder that may have some of them. */
async function exportAll(cli: Cli, evidence: EvidenceStore): Promise<ExitStatus> {
  const folder = cli.options.text('out');
  if (folder === null || cli.arguments.length > 0) {
    throw new UsageError(
      '--all exports every run that has ended, to a folder: --all --out exports/',
    );
  }
  const report = (line: string): void => cli.terminal.err(`${line}\n`);
  const to = { folder, evidence, report };
  const everyMs = cli.options.durationMs('every');
  if (everyMs !== null) {
    const pace = { everyMs, signal: cli.signal };
    await withLazyTemporal(cli, (_, single) => exportUntilLeft(single, to, pace));
    return 'reached';
  }
  const { written, lacking } = await withTemporal(cli, (client) => exportEnded(client, to));
  cli.terminal.err(`${cli.theme.mark('ok')} ${counted(written, 'export')} more in ${folder}\n`);
  return lacking === 0 ? 'reached' : 'inconclusive';
}

/**
 * The file is written even if records are missing, but is then not called complete.
 * @throws CliError CCM4019 where the run reported more records than were found.
 */
export function refuseIncomplete(
  { records, cluster }: Pick<AuditExport, 'records' | 'cluster'>,
  { outcome }: Pick<RunView, 'outcome'>,
  place: string,
): void {
  const reported = outcome?.evidence?.records ?? 0;
  if (records.length >= reported) return;
  throw new CliError(
    'CCM4019',
    `${cluster}: the run reported ${counted(reported, 'record')}, ${place} holds ${String(records.length)}`,
    {
      exitStatus: 'failed',
      fix: 'Name the state folder of the worker that closed it: --evidence-dir; or its database: CCM_MIGRATE_EVIDENCE_DATABASE.',
    },
  );
}
