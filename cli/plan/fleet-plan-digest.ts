import type { FleetPlanDocument } from '../../config/outputs/fleet-plan-document.js';
import { digestJson } from '../../domain/digest.js';

/** Covers everything that decides what a fleet does, and who is left out; not shapes, totals and forecast. */
export function fleetPlanDigest({
  fleet,
  rollout,
  waves,
  clusters,
  skipped,
}: Pick<FleetPlanDocument, 'fleet' | 'rollout' | 'waves' | 'clusters' | 'skipped'>): string {
  return digestJson({
    ...{ fleet, rollout, waves },
    clusters: clusters.map(({ shape: _shape, ...cluster }) => cluster),
    skipped: skipped.map(({ name, kind, code }) => ({ name, kind, code })),
  });
}

/** A plan as the workflow of a fleet was given it: `fleetGiven` takes its document apart like this. */
export interface GivenPlan {
  readonly plan: {
    readonly policy: unknown;
    readonly waves: readonly object[];
    readonly rows: readonly object[];
  };
  readonly waves: readonly object[];
  readonly members: readonly object[];
  readonly skipped: readonly unknown[];
}

/** The digest of the document that a fleet's plan was taken from. */
export function givenPlanDigest(fleet: string, given: GivenPlan): string {
  const { plan, waves, members, skipped } = given;
  return digestJson({
    ...{ fleet, rollout: plan.policy, skipped },
    waves: waves.map((settings, index) => ({ plan: plan.waves[index], ...settings })),
    clusters: plan.rows.map((row, index) => ({ ...row, ...members[index] })),
  });
}
