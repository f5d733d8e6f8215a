import type { WorkflowExecutionInfo } from '@temporalio/client';
import { clusterUidIn } from '../../config/names.js';
import { isInSpan, type PopulationSpan } from '../../domain/evidence/population.js';
import { type AuditedFleet, fleetsOnRecord } from '../audit/fleet/fleets-on-record.js';
import { givenExports, givenFleetExports, spanOf } from '../audit/given-exports.js';
import { type ListReading, listedTicket } from '../audit/listed-executions.js';
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
import { CLUSTER_ATTRIBUTE } from '../runs/find-run.js';
import { shownText } from '../terminal/wording.js';

/** `audit list`: every run of every cluster and fleet that the server lists or an export tells of. */
export async function auditList(cli: Cli): Promise<ExitStatus> {
  const exports = await givenExports(cli);
  const ofFleets = await givenFleetExports(cli);
  const span = spanOf(cli);
  const { ofRuns, fleetsToo } = await withTemporal(cli, async (client) => ({
    ofRuns: await runsOnRecord(client, exports, readingOf(cli, mayBeWanted(cli, span))),
    fleetsToo: await fleetsOnRecord(client, ofFleets, readingOf(cli, mayBeWantedFleet(cli, span))),
  }));
  const runs = ofRuns.runs.filter((run) => isInSpan(span, run) && isWanted(cli, run));
  const fleets = fleetsToo.fleets.filter(
    (fleet) => isInSpan(span, fleet) && isWantedFleet(cli, fleet),
  );
  const unread = ofRuns.unread + fleetsToo.unread;
  if (cli.output === 'csv') cli.terminal.out(runsCsv(runs, fleets));
  else if (isText(cli)) cli.terminal.out(`${tables(cli, runs, fleets).join('\n')}\n`);
  else
    printDocument(cli, 'AuditedRunList', {
      runs: runs.map(auditedRunDocument),
      fleets: fleets.map(auditedFleetDocument),
      unread,
    });
  if (unread > 0) cli.terminal.err(unreadText(unread));
  const unreadable = [...ofRuns.unreadable, ...fleetsToo.unreadable];
  for (const each of unreadable) cli.terminal.err(`not read: ${shownText(each)}\n`);
  return unreadable.length === 0 ? 'reached' : 'inconclusive';
}

/** Enough for weeks of a region; each may be megabytes. */
const MOST_READ = 500;
const TOLD_EACH = 50;

function readingOf(cli: Cli, isMeant: ListReading['isMeant']): ListReading {
  return {
    isMeant,
    most: cli.options.count('most') ?? MOST_READ,
    told: (read, all) => {
      if (!isText(cli) || (read % TOLD_EACH !== 0 && (read !== all || all < TOLD_EACH))) return;
      cli.terminal.err(`${String(read)} of ${String(all)} histories read\n`);
    },
  };
}

function unreadText(unread: number): string {
  return `not read: the histories of ${String(unread)} older runs without an export, of which only what the server lists is told. Narrow them with --from, --cluster or --ticket, export them (\`audit export --all\`), or read more with --most\n`;
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

/** By the list alone: no run began after its last execution did. What the list does not say may be meant. */
function mayBeWanted({ options }: Cli, span: PopulationSpan): ListReading['isMeant'] {
  const [cluster, ticket] = [options.text('cluster'), options.text('ticket')];
  return (listed) => {
    const name = listed.typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? '';
    const isOfCluster =
      cluster === null || name === '' || [name, clusterUidIn(listed.workflowId)].includes(cluster);
    return isOfCluster && mayBeMeant(listed, { span, ticket });
  };
}

function mayBeWantedFleet({ options }: Cli, span: PopulationSpan): ListReading['isMeant'] {
  const ticket = options.text('ticket');
  return (listed) => options.text('cluster') === null && mayBeMeant(listed, { span, ticket });
}

function mayBeMeant(
  listed: WorkflowExecutionInfo,
  { span, ticket }: { readonly span: PopulationSpan; readonly ticket: string | null },
): boolean {
  const isLate = listed.startTime.getTime() >= span.fromMs;
  return isLate && (ticket === null || ['', ticket].includes(listedTicket(listed)));
}

function isWantedFleet({ options }: Cli, fleet: AuditedFleet): boolean {
  const ticket = options.text('ticket');
  return options.text('cluster') === null && (ticket === null || fleet.ticket === ticket);
}
