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
