import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  CLUSTER_MIGRATION,
  FLEET_MIGRATION,
  clusterWorkflowId,
  fleetNameIn,
} from '../../config/names.js';
import { didYouMean } from '../../config/nearest-name.js';
import type { Cli } from '../cli.js';
import { CliError, UsageError } from '../cli-error.js';
import { typedCommand } from '../typed-command.js';
import { describedRun } from './described-run.js';

/** Search attributes of config/names.ts, as the client reads them. */
export const CLUSTER_ATTRIBUTE = defineSearchAttributeKey('Cluster', SearchAttributeType.KEYWORD);
export const FLEET_ATTRIBUTE = defineSearchAttributeKey('Fleet', SearchAttributeType.KEYWORD);
const PHASE = defineSearchAttributeKey('Phase', SearchAttributeType.KEYWORD);

export interface KnownRun {
  readonly workflowId: string;
  readonly runId: string;
  readonly cluster: string;
  readonly phase: string;
  readonly running: boolean;
  readonly startedAtMs: number;
}

const OURS = `WorkflowType='${CLUSTER_MIGRATION}'`;

/** Runs as the server lists them, newest first: one for each cluster, an open run before an ended one. */
export async function listRuns(
  client: Client,
  given: { readonly query?: string; readonly most?: number } = {},
): Promise<readonly KnownRun[]> {
  const { query = OURS, most = Infinity } = given;
  const byCluster = new Map<string, KnownRun>();
  for await (const listed of client.workflow.list({ query })) {
    const { workflowId, runId, status, startTime, typedSearchAttributes } = listed;
    const run: KnownRun = {
      workflowId,
      runId,
      cluster: typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? '',
      phase: typedSearchAttributes.get(PHASE) ?? '',
      running: status.name === 'RUNNING',
      startedAtMs: startTime.getTime(),
    };
    const known = byCluster.get(workflowId);
    if (known === undefined || isNewer(run, known)) byCluster.set(workflowId, run);
    if (byCluster.size >= most) break;
  }
  return [...byCluster.values()].sort((a, b) => b.startedAtMs - a.startedAtMs);
}

function isNewer(run: KnownRun, known: KnownRun): boolean {
  return run.running === known.running ? run.startedAtMs > known.startedAtMs : run.running;
}

/**
 * The run that the command line means: its cluster by name, UID or workflow id, with the UID of `-f` where it names
 * one.
 */
export async function findRun(
  cli: Pick<Cli, 'arguments' | 'options'>,
  client: Client,
): Promise<string> {
  const [written] = cli.arguments;
  const files = cli.options.texts('file');
  if (written === undefined && files.length > 0) throw strayFiles(files);
  if (written === undefined) return onlyRun(client);
  const uid = await uidInFiles(files, written);
  return findRunOf(client, written, uid);
}

/** `-f` takes every word that follows it, a name of a cluster too, and must not leave the command to the only run that there is. */
function strayFiles(files: readonly string[]): UsageError {
  return new UsageError(
    `-f takes all words that follow it (${files.join(', ')}), and no cluster is named: write its name before -f`,
  );
}

/** The UID that the inventory pins for a cluster; null when there are no files, or they pin none. */
async function uidInFiles(files: readonly string[], name: string): Promise<string | null> {
  if (files.length === 0) return null;
  // Loaded lazily: most commands name no files, and zod is most of their start-up time.
  const { loadInventories } = await import('../../config/loaded-inventories.js');
  const clusters = await loadInventories(files);
  return clusters.find((cluster) => cluster.name === name)?.uid ?? null;
}

/**
 * The workflow id of a cluster's run. Resolved by UID wherever one is known: only a name needs a search, and the
 * server's search index lags behind its state.
 * @throws CliError CCM4022 when there is none.
 */
export async function findRunOf(
  client: Client,
  written: string,
  uid: string | null = null,
): Promise<string> {
  if (uid !== null) return pinnedRun(client, written, uid);
  const ids = [clusterWorkflowId(written), written];
  for (const workflowId of ids) if (await runExists(client, workflowId)) return workflowId;
  const [first, second] = await named(client, written);
  if (first === undefined) throw await noRun(client, written);
  if (second !== undefined) {
    const { workflowId } = second;
    throw new UsageError(
      `several clusters are named ${written}: give the UID (${first.workflowId}, ${workflowId})`,
    );
  }
  return first.workflowId;
}

/** The run of exactly this cluster: one of its name alone may be of a cluster that it has replaced. */
async function pinnedRun(client: Client, name: string, uid: string): Promise<string> {
  const workflowId = clusterWorkflowId(uid);
  if (await runExists(client, workflowId)) return workflowId;
  const [other] = await named(client, name);
  if (other === undefined) throw await noRun(client, name);
  throw new CliError('CCM4010', `no run for ${name} as the inventory pins it (${uid})`, {
    why: `${other.workflowId} is of a cluster of the same name with another UID: it was rebuilt, or the inventory is not the one of that run.`,
    fix: `For the cluster as it is now make a new plan and apply it. For the run of the earlier one type its id, without -f: \`${typedCommand(['status', other.workflowId])}\`.`,
    state: 'nothing was changed',
  });
}

/**
 * The run, of a cluster or a fleet, that has an execution of this id, ended or not.
 * @throws CliError CCM4022 when the server knows none.
 */
export async function findRunById(client: Client, runId: string): Promise<KnownRun> {
  const query = `WorkflowType IN ('${CLUSTER_MIGRATION}', '${FLEET_MIGRATION}') AND RunId=${quotedLiteral(runId)}`;
  const [found] = await listRuns(client, { query });
  if (found !== undefined) return found;
  throw new CliError('CCM4022', `no run ${runId}`, {
    exitStatus: 'failed',
    fix: '`ccm-migrate audit list` names every run.',
  });
}

/** The longest time until a new run is found by its name; a development server needs milliseconds. */
const LAG_MS = 2_000;
const SEARCH_EVERY_MS = 250;

async function named(client: Client, cluster: string): Promise<readonly KnownRun[]> {
  const query = `${OURS} AND ${CLUSTER_ATTRIBUTE.name}=${quotedLiteral(cluster)}`;
  const deadlineMs = Date.now() + LAG_MS;
  for (;;) {
    const runs = await listRuns(client, { query, most: 2 });
    if (runs.length > 0 || Date.now() > deadlineMs) return runs;
    await sleep(SEARCH_EVERY_MS);
  }
}

/** The workflow id of a cluster's open run, by its name; null without one. */
export async function openRunNamed(client: Client, cluster: string): Promise<string | null> {
  const query = `${OURS} AND ${CLUSTER_ATTRIBUTE.name}=${quotedLiteral(cluster)} AND ExecutionStatus='Running'`;
  const [first] = await listRuns(client, { query, most: 1 });
  return first?.workflowId ?? null;
}

/** Names of the open fleets; two are enough to know that there are several. */
export async function openFleets(client: Client): Promise<readonly string[]> {
  return fleetNames(client, " AND ExecutionStatus='Running'", 2);
}

async function fleetNames(client: Client, which: string, most: number): Promise<readonly string[]> {
  const query = `WorkflowType='${FLEET_MIGRATION}'${which}`;
  const names = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query })) {
    names.add(fleetNameIn(workflowId));
    if (names.size === most) break;
  }
  return [...names];
}

/** The refusal of a name of which no fleet ever ran. */
export async function noFleet(client: Client, written: string): Promise<CliError> {
  const known = await fleetNames(client, '', NAMES_COMPARED);
  const what = `no run for fleet ${written}${didYouMean(written, known)}`;
  return new CliError('CCM4022', what, { exitStatus: 'failed' });
}

/** A string literal of Temporal's list filters, which use SQL syntax. */
export function quotedLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Enough to find the name that was meant. */
const NAMES_COMPARED = 500;

async function noRun(client: Client, written: string): Promise<CliError> {
  const clusters = (await listRuns(client, { most: NAMES_COMPARED })).map(({ cluster }) => cluster);
  const known = [...clusters, ...(await fleetNames(client, '', NAMES_COMPARED))];
  const what = `no run for cluster or fleet ${written}${didYouMean(written, known)}`;
  return new CliError('CCM4022', what, { exitStatus: 'failed' });
}

/** Enough to know that there are several. */
const NAMES_SHOWN = 10;

async function onlyRun(client: Client): Promise<string> {
  const running = await listRuns(client, {
    query: `${OURS} AND ExecutionStatus='Running'`,
    most: NAMES_SHOWN,
  });
  const runs = running.length > 0 ? running : await listRuns(client, { most: NAMES_SHOWN });
  const [first, second] = runs;
  if (first === undefined)
    throw new CliError('CCM4022', 'there is no run', { exitStatus: 'failed' });
  if (second !== undefined) {
    const names = runs.map((run) => run.cluster).join(', ');
    throw new UsageError(`there are several runs: name the cluster (${names})`);
  }
  return first.workflowId;
}

/** Whether the server knows a run with this workflow id. */
export async function runExists(client: Client, workflowId: string): Promise<boolean> {
  return (await describedRun(client, workflowId)) !== null;
}
