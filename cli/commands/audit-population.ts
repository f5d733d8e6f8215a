import type { Client } from '@temporalio/client';
import { loadInventories } from '../../config/loaded-inventories.js';
import {
  isInSpan,
  type PopulationGap,
  populationGaps,
  type RunInLog,
} from '../../domain/evidence/population.js';
import { loggedRuns } from '../../domain/transparency/logged-runs.js';
import { believedExports, type Trusted } from '../audit/believed-exports.js';
import { type ReadFences, readFences } from '../audit/fence-epochs.js';
import { fleetAsRun, loggedName } from '../audit/fleet/fleet-population.js';
import { fleetsOnRecord } from '../audit/fleet/fleets-on-record.js';
import { spanOf } from '../audit/given-exports.js';
import type { ResultTrust } from '../audit/check-results.js';
import { READ_ALL } from '../audit/listed-executions.js';
import type { RefusedExport } from '../audit/folder-exports.js';
import { auditedRunDocument, gapDocument, gapText, runTable } from '../audit/population-text.js';
import { type AuditedRun, runsOnRecord } from '../audit/runs-on-record.js';
import { givenAccessPolicy } from '../authority/given-access-policy.js';
import { type Cli, isText, printDocument, screen } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { inventoryPaths, withTemporal } from '../runs/connection.js';
import { counted, shownText } from '../terminal/wording.js';
import { type GivenLog, givenLog } from '../transparency/given-log.js';

/** `audit population`: whether any run is missing, by what the fence of each cluster counted. */
export async function auditPopulation(cli: Cli): Promise<ExitStatus> {
  const span = spanOf(cli);
  const trusted = await trustOf(cli);
  const believed = await believedExports(cli, trusted);
  const refused = [...refusedLog(cli, trusted), ...believed.refused];
  const clusters = await loadInventories(await inventoryFiles(cli));
  // Before the runs: each that took a fence until now is on record by then.
  const read = await readFences(cli, clusters);
  const { fences } = read;
  const { ofRuns, ofFleets, retentionMs } = await withTemporal(cli, async (client) => ({
    ofRuns: await runsOnRecord(client, believed.runs, READ_ALL, resultTrust(cli, trusted)),
    ofFleets: await fleetsOnRecord(client, believed.fleets),
    retentionMs: await retentionOf(client),
  }));
  const { runs } = ofRuns;
  const { fleets } = ofFleets;
  const unread = [...read.unread, ...ofRuns.unreadable, ...ofFleets.unreadable];
  const logged = runsInLog(trusted.log);
  const all = [...runs, ...fleets.map(fleetAsRun)];
  const kept = { nowMs: Date.now(), retentionMs };
  const gaps = populationGaps({ runs: all, fences, logged }, span, kept);
  const meant = runs.filter((run) => isInSpan(span, run));
  report(cli, { runs: meant, gaps, refused, fences, unread });
  if (gaps.length > 0 || refused.length > 0) return 'checksFailed';
  return unread.length === 0 ? 'reached' : 'inconclusive';
}

async function trustOf(cli: Cli): Promise<Trusted> {
  const path = cli.options.text('trust');
  const trust = path === null ? null : await givenAccessPolicy(path);
  return { trust, log: await givenLog(cli, trust?.logs ?? []) };
}

/** What is asked of a run that only the server lists: the same as of the results of an export. */
function resultTrust({ options }: Cli, { trust }: Trusted): ResultTrust | null {
  return trust === null
    ? null
    : { trust, takesUnsigned: options.texts('allow').includes('results') };
}

/** A log that proves nothing is no reason to go on without it. */
function refusedLog({ options }: Cli, { log }: Trusted): readonly RefusedExport[] {
  return log?.kind === 'refused' ? [{ file: options.text('log') ?? '', why: log.why }] : [];
}

function runsInLog(log: GivenLog | null): readonly RunInLog[] {
  const entries = log?.kind === 'read' ? log.log.entries : [];
  return loggedRuns(entries).map((run) => ({
    runId: run.runId,
    cluster: loggedName(run),
    startedAtMs: Date.parse(run.startedAt),
  }));
}

async function retentionOf(client: Client): Promise<number> {
  const { namespace } = client.options;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1000;
}

async function inventoryFiles(cli: Cli): Promise<readonly string[]> {
  const files = await inventoryPaths(cli);
  if (files.length > 0) return files;
  throw new UsageError('-f is required: files or folders with each ClusterInventory');
}

interface Reported extends ReadFences {
  readonly runs: readonly AuditedRun[];
  readonly gaps: readonly PopulationGap[];
  readonly refused: readonly RefusedExport[];
}

function report(cli: Cli, reported: Reported): void {
  const { runs, gaps, refused, fences, unread } = reported;
  if (!isText(cli)) {
    printDocument(cli, 'AuditPopulation', {
      ...{ runs: runs.map(auditedRunDocument), gaps: gaps.map(gapDocument) },
      refused: [...refused],
      clusters: fences.map(({ cluster, uid, epoch }) => ({ cluster, uid, epoch })),
      unread: [...unread],
    });
    return;
  }
  const { theme } = cli;
  const lines = [
    ...runTable(runs, screen(cli).width),
    '',
    ...gaps.map((gap) => `${theme.mark('failed')} ${gapText(gap)}`),
    ...refused.map(({ file, why }) => `${theme.mark('failed')} ${file} does not count: ${why}`),
    ...unread.map((each) => `${theme.mark('waiting')} not read: ${shownText(each)}`),
  ];
  const isWhole = gaps.length === 0 && refused.length === 0 && unread.length === 0;
  const all = `${counted(runs.length, 'run')} of ${counted(fences.length, 'cluster')}`;
  print(cli, [...lines, ...(isWhole ? [`${theme.mark('ok')} ${all}: none is missing`] : [])]);
}

function print({ terminal }: Cli, lines: readonly string[]): void {
  terminal.out(`${lines.join('\n')}\n`);
}
