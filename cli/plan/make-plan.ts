import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import type { MigrationPlan } from '../../config/outputs/plan.js';
import { previewPlan } from '../../domain/plan/preview.js';
import type { Target } from '../../domain/vocabulary.js';
import { toolVersion } from '../tool-version.js';
import { inspectCluster } from './inspect-cluster.js';
import { planDocument } from './plan-document.js';

export interface PlanOrder {
  readonly fleet: Fleet;
  readonly cluster: InventoryCluster;
  readonly target: Target;
  readonly signal: AbortSignal;
}

/** Looks at the cluster and plans from what is there, by the same rules that a run decides by. */
export async function makePlan({
  fleet,
  cluster,
  target,
  signal,
}: PlanOrder): Promise<MigrationPlan> {
  const inspected = await inspectCluster(cluster, fleet, signal);
  const preview = previewPlan(inspected.observation, target, fleet.policy);
  return planDocument({
    fleet,
    cluster,
    target,
    inspected,
    findings: [],
    preview,
    changes: [],
    tool: await toolVersion(),
    createdAt: new Date().toISOString(),
  });
}
