import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import type { MigrationPlan } from '../../config/outputs/plan.js';
import { previewPlan } from '../../domain/plan/preview.js';
import type { Target } from '../../domain/vocabulary.js';
import { toolVersion } from '../tool-version.js';
import { inspectCluster } from './inspect-cluster.js';
import { planDocument } from './plan-document.js';
import { preflightFindings } from './preflight-findings.js';
import { stepChanges } from './step-changes.js';

export interface PlanOrder {
  readonly fleet: Fleet;
  readonly cluster: InventoryCluster;
  readonly target: Target;
  readonly signal: AbortSignal;
  /** Folder that the plan is written to; the one we work in unless given. */
  readonly folder?: string;
}

/** Looks at the cluster and plans from what is there, by the same rules that a run decides by. */
export async function makePlan({
  fleet,
  cluster,
  target,
  signal,
  folder = '.',
}: PlanOrder): Promise<MigrationPlan> {
  const inspected = await inspectCluster(cluster, fleet, signal);
  const { observation } = inspected.inspection.look;
  const { policy, materials } = fleet;
  const preview = previewPlan(observation, target, policy);
  const { steps } = preview;
  return planDocument({
    fleet,
    cluster,
    target,
    folder,
    inspected,
    findings: preflightFindings(inspected, fleet, target),
    preview,
    changes: stepChanges({ steps, inspection: inspected.inspection, policy, materials }),
    tool: await toolVersion(),
    createdAt: new Date().toISOString(),
  });
}
