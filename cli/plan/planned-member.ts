import type { Fleet } from '../../config/fleet.js';
import { settingsOf } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import type { FleetPlanDocument } from '../../config/outputs/fleet-plan-document.js';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import type { RowPlan } from '../../domain/fleet/fleet-plan.js';
import { forbidsStart } from '../../domain/preflight/preflight.js';
import { makePlan } from './make-plan.js';
import { unreadBecause } from './read-clusters.js';
import { SECONDS_A_STEP } from './plan-text.js';
import { machineCounts, shapeKey } from './plan-shapes.js';

export type SkippedCluster = FleetPlanDocument['skipped'][number];

/** What a fleet's plan keeps of the plan of one cluster: without its observation, which is large. */
export interface PlannedMember {
  readonly row: RowPlan;
  readonly uid: string;
  readonly region: string;
  readonly planDigest: string;
  readonly shapeKey: string;
  readonly steps: MigrationPlan['steps'];
  readonly findings: MigrationPlan['findings'];
}

export type MemberResult =
  | { readonly kind: 'planned'; readonly member: PlannedMember }
  | { readonly kind: 'skipped'; readonly skipped: SkippedCluster };

/** Plans one cluster of a fleet. Whatever stands in its way leaves it out, with the reason, and never the others. */
export async function planMember(
  fleet: Fleet,
  cluster: InventoryCluster,
  row: RowPlan,
  signal: AbortSignal,
): Promise<MemberResult> {
  const settings = settingsOf(fleet, cluster);
  try {
    const plan = await makePlan({ fleet: settings, cluster, target: 'ccm', signal });
    return memberOf(plan, row, cluster);
  } catch (error) {
    const { kind, ...why } = unreadBecause(cluster, error, signal);
    return leftOut(row, kind, why);
  }
}

function memberOf(
  plan: MigrationPlan,
  row: RowPlan,
  { nodeAccess }: InventoryCluster,
): MemberResult {
  const { policy, findings, observationDigest, ending, notChecked } = plan;
  if (nodeAccess.kind === 'none' || notChecked.length > 0) {
    return leftOut(row, 'preview', {
      code: 'CCM4002',
      seen: 'no access to its nodes: what they run was presumed',
      fix: 'Configure nodeAccess for this cluster in the inventory.',
    });
  }
  const forbidden = forbidsStart(findings, policy.waivers, observationDigest);
  const [first] = [...ending.findings, ...forbidden];
  if (first !== undefined) return leftOut(row, 'blocked', first);
  if (ending.kind !== 'done') {
    const seen = 'its plan has no end';
    return leftOut(row, 'blocked', { code: 'CCM4013', seen, fix: 'Report this as a bug.' });
  }
  if (plan.steps.length === 0) {
    const seen = 'the CCM already runs its cloud controllers';
    return leftOut(row, 'nothingToDo', { code: '', seen, fix: '' });
  }
  return { kind: 'planned', member: planned(plan, row) };
}

function leftOut(
  { name, wave }: RowPlan,
  kind: SkippedCluster['kind'],
  { code, seen, fix }: Pick<SkippedCluster, 'code' | 'seen' | 'fix'>,
): MemberResult {
  return { kind: 'skipped', skipped: { name, wave, kind, code, seen, fix } };
}

function planned(plan: MigrationPlan, row: RowPlan): PlannedMember {
  const { cluster, digest, steps, findings } = plan;
  return {
    row: { ...row, expectedMs: plannedChangeMs(plan, row.expectedMs) },
    ...{ uid: cluster.uid, region: cluster.region, planDigest: digest },
    ...{ shapeKey: shapeKey(plan), steps, findings },
  };
}

/** Expected time of change from the steps, each at its slowest as measured, and at most what is expected without a plan. */
function plannedChangeMs({ steps, timings }: MigrationPlan, atMostMs: number): number {
  const { created, deleted } = machineCounts(steps);
  const expected =
    steps.length * SECONDS_A_STEP.high * 1000 + (created + deleted) * timings.effectMs;
  return Math.min(atMostMs, expected);
}
