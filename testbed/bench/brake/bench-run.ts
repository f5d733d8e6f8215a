import type { Client, WorkflowHandle } from '@temporalio/client';
import { makePlan } from '../../../cli/plan/make-plan.js';
import { startRun } from '../../../cli/runs/start-run.js';
import type { RunSettings } from '../../../config/fleet.js';
import type { InventoryCluster } from '../../../config/loaded-inventories.js';
import { statusQuery, type ClusterStatus } from '../../../workflows/messages.js';

/** A run that a benchmark has started and watches. */
export interface BenchRun {
  readonly handle: WorkflowHandle;
  readonly run: { readonly workflowId: string; readonly runId: string };
  readonly clusterUid: string;
}

/** Plans the migration of a cluster to its CCM, and starts it. */
export async function startBenchRun(
  client: Client,
  settings: RunSettings,
  cluster: InventoryCluster,
  signal: AbortSignal,
): Promise<BenchRun> {
  const plan = await makePlan({ fleet: settings, cluster, target: 'ccm', signal });
  const { policy, timings, materials } = settings;
  const { name, uid, region } = plan.cluster;
  const run = await startRun(client, {
    ...{ cluster: { name, uid }, region, fleet: settings.name, wave: '', target: plan.target },
    ...{ policy, timings, materials, planDigest: plan.digest },
    ...{ actor: 'bench', reason: 'benchmark', ticket: '' },
  });
  return { run, handle: client.workflow.getHandle(run.workflowId), clusterUid: uid };
}

/** Null while nothing answers. */
export async function statusOf(handle: WorkflowHandle): Promise<ClusterStatus | null> {
  return handle.query(statusQuery).catch(() => null);
}
