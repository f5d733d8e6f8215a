import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { CLUSTER_MIGRATION, clusterWorkflowId } from '../../config/names.js';
import { didYouMean } from '../../config/nearest-name.js';
import { Refusal, WrongUsage } from '../refusal.js';

/** Search attributes of config/names.ts, as the client reads them. */
export const CLUSTER = defineSearchAttributeKey('Cluster', SearchAttributeType.KEYWORD);
const PHASE = defineSearchAttributeKey('Phase', SearchAttributeType.KEYWORD);

export interface KnownRun {
  readonly workflowId: string;
  readonly runId: string;
  readonly cluster: string;
  readonly phase: string;
  readonly running: boolean;
  readonly startedAtMs: number;
}

/** Runs as the server lists them, newest first: one for each cluster, the one that runs before one that has ended. */
export async function listRuns(client: Client): Promise<readonly KnownRun[]> {
  const byCluster = new Map<string, KnownRun>();
  const listed = client.workflow.list({ query: `WorkflowType='${CLUSTER_MIGRATION}'` });
  for await (const { workflowId, runId, status, startTime, typedSearchAttributes } of listed) {
    const run: KnownRun = {
      workflowId,
      runId,
      cluster: typedSearchAttributes.get(CLUSTER) ?? '',
      phase: typedSearchAttributes.get(PHASE) ?? '',
      running: status.name === 'RUNNING',
      startedAtMs: startTime.getTime(),
    };
    const known = byCluster.get(workflowId);
    if (known === undefined || isNewer(run, known)) byCluster.set(workflowId, run);
  }
  return [...byCluster.values()].sort((a, b) => b.startedAtMs - a.startedAtMs);
}

function isNewer(run: KnownRun, known: KnownRun): boolean {
  return run.running === known.running ? run.startedAtMs > known.startedAtMs : run.running;
}

/** The run that is meant: by the cluster's UID, by its name, or the only one there is. */
export async function findRun(client: Client, written: string | undefined): Promise<string> {
  if (written !== undefined && (await exists(client, clusterWorkflowId(written)))) {
    return clusterWorkflowId(written);
  }
  const runs = await listRuns(client);
  if (written === undefined) return onlyRun(runs);
  const match = runs.find((run) => run.cluster === written || run.workflowId === written);
  if (match !== undefined) return match.workflowId;
  const known = runs.map((run) => run.cluster);
  throw new Refusal('CCM4022', `no run for cluster ${written}${didYouMean(written, known)}`, {
    ending: 'failed',
  });
}

function onlyRun(runs: readonly KnownRun[]): string {
  const candidates = runs.filter((run) => run.running);
  const [first, second] = candidates.length > 0 ? candidates : runs;
  if (first === undefined) throw new Refusal('CCM4022', 'there is no run', { ending: 'failed' });
  if (second !== undefined) {
    const names = runs.map((run) => run.cluster).join(', ');
    throw new WrongUsage(`there are several runs: name the cluster (${names})`);
  }
  return first.workflowId;
}

async function exists(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
