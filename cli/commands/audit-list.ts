import { isInSpan } from '../../domain/evidence/population.js';
import { givenExports, spanOf } from '../audit/given-exports.js';
import { auditedRunDocument, runsCsv, runTable } from '../audit/population-text.js';
import { type AuditedRun, runsOnRecord } from '../audit/runs-on-record.js';
import { type Cli, isText, printDocument, screen } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { withTemporal } from '../runs/connection.js';

/** `audit list`: every run of every cluster that the server lists or an export tells of. */
export async function auditList(cli: Cli): Promise<ExitStatus> {
  const exports = await givenExports(cli);
  const span = spanOf(cli);
  const runs = await withTemporal(cli, (client) => runsOnRecord(client, exports));
  const meant = runs.filter((run) => isInSpan(span, run) && isWanted(cli, run));
  if (cli.output === 'csv') cli.terminal.out(runsCsv(meant));
  else if (isText(cli)) cli.terminal.out(`${runTable(meant, screen(cli).width).join('\n')}\n`);
  else printDocument(cli, 'AuditedRunList', { runs: meant.map(auditedRunDocument) });
  return 'reached';
}

function isWanted({ options }: Cli, run: AuditedRun): boolean {
  const [cluster, ticket] = [options.text('cluster'), options.text('ticket')];
  const isOfCluster = cluster === null || run.cluster === cluster || run.uid === cluster;
  return isOfCluster && (ticket === null || run.ticket === ticket);
}
