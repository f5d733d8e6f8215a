import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import type { MigrationPlan } from '../../config/outputs/plan.js';
import type { ClusterObservation } from '../../domain/observation.js';
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
export async function makePlan(order: PlanOrder): Promise<MigrationPlan> {
  return (await lookAndPlan(order)).plan;
}

/** The same with what was seen, holders and times too: a plan leaves out what changes from one second to the next. */
export async function lookAndPlan({
  fleet,
  cluster,
  target,
  signal,
  folder = '.',
}: PlanOrder): Promise<{
  readonly plan: MigrationPlan;
  readonly observation: ClusterObservation;
}> {
  const inspected = await inspectCluster(cluster, fleet, signal);
  const { observation } = inspected.inspection.look;
  const { policy, materials } = fleet;
  const preview = previewPlan(observation, target, policy);
  const { steps } = preview;
  const plan = planDocument({
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
  return { plan, observation };
}
