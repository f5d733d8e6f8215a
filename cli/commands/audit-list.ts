import { isInSpan } from '../../domain/evidence/population.js';
import { type AuditedFleet, fleetsOnRecord } from '../audit/fleet/fleets-on-record.js';
import { givenExports, givenFleetExports, spanOf } from '../audit/given-exports.js';
import {
  auditedFleetDocument,
  auditedRunDocument,
  fleetRunTable,
  runsCsv,
  runTable,
} from '../audit/population-text.js';
import { type AuditedRun, runsOnRecord } from '../audit/runs-on-record.js';
import { type Cli, isText, printDocument, screen } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { withTemporal } from '../runs/connection.js';

/** `audit list`: every run of every cluster and fleet that the server lists or an export tells of. */
export async function auditList(cli: Cli): Promise<ExitStatus> {
  const exports = await givenExports(cli);
  const ofFleets = await givenFleetExports(cli);
  const span = spanOf(cli);
  const [runs, fleets] = await withTemporal(cli, async (client) => [
    (await runsOnRecord(client, exports)).filter(
      (run) => isInSpan(span, run) && isWanted(cli, run),
    ),
    (await fleetsOnRecord(client, ofFleets)).filter(
      (fleet) => isInSpan(span, fleet) && isWantedFleet(cli, fleet),
    ),
  ]);
  if (cli.output === 'csv') cli.terminal.out(runsCsv(runs, fleets));
  else if (isText(cli)) cli.terminal.out(`${tables(cli, runs, fleets).join('\n')}\n`);
  else
    printDocument(cli, 'AuditedRunList', {
      runs: runs.map(auditedRunDocument),
      fleets: fleets.map(auditedFleetDocument),
    });
  return 'reached';
}

function tables(
  cli: Cli,
  runs: readonly AuditedRun[],
  fleets: readonly AuditedFleet[],
): readonly string[] {
  const { width } = screen(cli);
  const ofFleets = fleets.length === 0 ? [] : ['', ...fleetRunTable(fleets, width)];
  return [...runTable(runs, width), ...ofFleets];
}

function isWanted({ options }: Cli, run: AuditedRun): boolean {
  const [cluster, ticket] = [options.text('cluster'), options.text('ticket')];
  const isOfCluster = cluster === null || run.cluster === cluster || run.uid === cluster;
  return isOfCluster && (ticket === null || run.ticket === ticket);
}

function isWantedFleet({ options }: Cli, fleet: AuditedFleet): boolean {
  const ticket = options.text('ticket');
  return options.text('cluster') === null && (ticket === null || fleet.ticket === ticket);
}
