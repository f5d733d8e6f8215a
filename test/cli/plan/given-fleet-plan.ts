import { lintFiles, type Fleet } from '../../../config/fleet.js';
import type { FleetPlanDocument } from '../../../config/outputs/fleet-plan-document.js';
import { fleetPlanDocument } from '../../../cli/plan/make-fleet-plan.js';
import type { MemberResult, PlannedMember } from '../../../cli/plan/planned-member.js';
import { toolVersion } from '../../../cli/tool-version.js';
import { digestText } from '../../../domain/digest.js';

/** The fleet of the examples: twelve clusters in three waves. */
export async function exampleFleet(): Promise<Fleet> {
  const { fleets } = await lintFiles(['config/examples/fleet']);
  const [fleet] = fleets;
  if (fleet === undefined) throw new Error('the example is no fleet');
  return fleet;
}

/** What planning a cluster of the fleet gives, with what a test is about. */
export function plannedResult(
  fleet: Fleet,
  index: number,
  changes: Partial<PlannedMember> = {},
): MemberResult {
  const [row, cluster] = [fleet.rows[index], fleet.clusters[index]];
  if (row === undefined || cluster === undefined) throw new Error(`no cluster ${index}`);
  const member = {
    ...{ row, uid: `uid-${row.name}`, region: cluster.region, shapeKey: 'a' },
    ...{ planDigest: digestText(row.name), steps: [], findings: [], ...changes },
  };
  return { kind: 'planned', member };
}

export async function givenFleetPlan(
  fleet: Fleet,
  results: readonly MemberResult[],
): Promise<FleetPlanDocument> {
  const made = { files: ['fleet'], tool: await toolVersion(), nowMs: Date.UTC(2026, 10, 24) };
  return fleetPlanDocument(fleet, results, made);
}
