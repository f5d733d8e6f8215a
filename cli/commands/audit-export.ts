import { writeFile } from 'node:fs/promises';
import { exportRun, exportText } from '../audit/export-run.js';
import type { Cli } from '../cli.js';
import type { Ending } from '../endings.js';
import { isText } from '../print.js';
import { WrongUsage } from '../refusal.js';
import { withTemporal } from '../runs/connection.js';
import { findRun } from '../runs/find-run.js';
import { viewRun } from '../runs/run-view.js';
import { evidenceFolder } from '../runs/server-address.js';

/** `audit export`: one JSON document, to a file or to stdout. */
export async function auditExport(cli: Cli): Promise<Ending> {
  const evidenceDir = await folderOf(cli);
  const content = await withTemporal(cli, async (client) => {
    const workflowId = await findRun(cli, client);
    const view = await viewRun(client, workflowId);
    const cluster = view.outcome?.cluster ?? view.status?.cluster.name ?? cli.arguments[0] ?? '';
    return exportRun(client, { workflowId, runId: view.runId, cluster, evidenceDir });
  });
  const out = cli.options.text('out');
  if (out === null) {
    cli.terminal.out(exportText(content));
    return 'reached';
  }
  await writeFile(out, exportText(content), { mode: 0o600 });
  if (isText(cli)) {
    const { records, digest } = content;
    cli.terminal.out(`${cli.theme.mark('ok')} ${out}: ${records.length} records, ${digest}\n`);
  }
  return 'reached';
}

/** Where the workers keep evidence: a flag, what `dev` noted, or a folder that was named. */
async function folderOf(cli: Cli): Promise<string> {
  const folder = cli.options.text('evidenceDir') ?? (await evidenceFolder(cli));
  if (folder !== null) return folder;
  throw new WrongUsage(
    "--evidence-dir is required: the workers' state folder (CCM_MIGRATE_STATE_DIR)",
  );
}
