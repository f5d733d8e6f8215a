import { writeFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { EvidenceStore } from '../../activities/evidence/evidence-store.js';
import type { OpenEvidence } from '../../activities/evidence/open-evidence.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import { evidenceForAudit } from '../audit/evidence-for-audit.js';
import { exportEnded, exportUntilLeft } from '../audit/export-ended.js';
import { exportRun, exportText } from '../audit/export-run.js';
import { missingRecords } from '../audit/missing-records.js';
import type { Cli } from '../cli.js';
import { isText } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { CliError, UsageError } from '../cli-error.js';
import { withLazyTemporal, withTemporal } from '../runs/connection.js';
import { findRun, findRunById, type KnownRun } from '../runs/find-run.js';
import { viewRun } from '../runs/run-view.js';
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
  const fleet = cli.options.text('fleet');
  if (cli.options.flag('all') || fleet !== null) return exportMany(cli, store, fleet);
  if (cli.options.durationMs('every') !== null)
    throw new UsageError('--every goes with --all or --fleet');
  const content = await withTemporal(cli, async (client) => {
    const { workflowId, runId, cluster } = await chosenRun(cli, client);
    return exportRun(client, { workflowId, runId, cluster, evidence: store });
  });
  const out = cli.options.text('out');
  if (out === null) {
    cli.terminal.out(exportText(content));
    await refuseIncomplete(content, place);
    return 'reached';
  }
  await writeFile(out, exportText(content), { mode: 0o600 });
  await refuseIncomplete(content, place);
  if (isText(cli)) {
    const { records, digest } = content;
    const mark = cli.theme.mark('ok');
    cli.terminal.out(`${mark} ${out}: ${counted(records.length, 'record')}, ${digest}\n`);
  }
  return 'reached';
}

/** The run of an id, else the latest one of the cluster. */
async function chosenRun(
  cli: Cli,
  client: Client,
): Promise<Pick<KnownRun, 'workflowId' | 'runId' | 'cluster'>> {
  const id = cli.options.text('run');
  if (id === null) return viewRun(client, await findRun(cli, client));
  if (cli.arguments.length > 0)
    throw new UsageError('--run names a run by itself: leave out the cluster');
  return findRunById(client, id);
}

/** Each run that has ended, of every cluster or of one fleet, to a folder that may have some of them. */
async function exportMany(
  cli: Cli,
  evidence: EvidenceStore,
  fleet: string | null,
): Promise<ExitStatus> {
  const folder = cli.options.text('out');
  if (folder === null || cli.arguments.length > 0 || cli.options.text('run') !== null) {
    throw new UsageError(
      '--all and --fleet export every run that has ended, to a folder: --all --out exports/',
    );
  }
  const report = (line: string): void => cli.terminal.err(`${line}\n`);
  const to = { folder, evidence, report, fleet };
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
export async function refuseIncomplete(
  content: Pick<AuditExport, 'records' | 'executions' | 'cluster'>,
  place: string,
): Promise<void> {
  const missing = await missingRecords(content);
  if (missing === 0) return;
  const { records, cluster } = content;
  const reported = counted(records.length + missing, 'record');
  throw new CliError(
    'CCM4019',
    `${cluster}: the run reported ${reported}, ${place} holds ${String(records.length)}`,
    {
      exitStatus: 'failed',
      fix: 'Name the state folder of the worker that closed it: --evidence-dir; or its database: CCM_MIGRATE_EVIDENCE_DATABASE.',
    },
  );
}
