import { writeFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { EvidenceStore } from '../../activities/evidence/evidence-store.js';
import type { OpenEvidence } from '../../activities/evidence/open-evidence.js';
import { fleetWorkflowId, isFleetWorkflow } from '../../config/names.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import { evidenceForAudit } from '../audit/evidence-for-audit.js';
import { exportEnded, exportUntilLeft } from '../audit/export-ended.js';
import { exportRun, exportText } from '../audit/export-run.js';
import { exportFleet } from '../audit/fleet/export-fleet.js';
import { missingRecords } from '../audit/missing-records.js';
import type { Cli } from '../cli.js';
import { isText } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { CliError, UsageError } from '../cli-error.js';
import { meantFleet } from '../fleets/meant-fleet.js';
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
    const chosen = await chosenRun(cli, client);
    if (isFleetWorkflow(chosen.workflowId)) return exportFleet(client, chosen);
    const { workflowId, runId, cluster } = chosen;
    return exportRun(client, { workflowId, runId, cluster, evidence: store });
  });
  const out = cli.options.text('out');
  if (out === null) cli.terminal.out(exportText(content));
  else await writeFile(out, exportText(content), { mode: 0o600 });
  if (content.kind === 'AuditExport') await refuseIncomplete(content, place);
  if (out !== null && isText(cli)) {
    const size =
      content.kind === 'AuditExport'
        ? counted(content.records.length, 'record')
        : counted(content.executions.length, 'execution');
    cli.terminal.out(`${cli.theme.mark('ok')} ${out}: ${size}, ${content.digest}\n`);
  }
  return 'reached';
}

type ChosenRun = Pick<KnownRun, 'workflowId' | 'runId' | 'cluster'>;

/** The run of an id, else the latest one of the cluster or the fleet. */
async function chosenRun(cli: Cli, client: Client): Promise<ChosenRun> {
  const id = cli.options.text('run');
  const [written] = cli.arguments;
  if (id === null) return latestRun(cli, client, written);
  if (written !== undefined)
    throw new UsageError('--run names a run by itself: leave out cluster and fleet');
  return findRunById(client, id);
}

async function latestRun(
  cli: Cli,
  client: Client,
  written: string | undefined,
): Promise<ChosenRun> {
  const fleet = written === undefined ? null : await meantFleet(client, written);
  if (fleet === null) return viewRun(client, await findRun(cli, client));
  const workflowId = fleetWorkflowId(fleet.fleet);
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  return { workflowId, runId, cluster: '' };
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
