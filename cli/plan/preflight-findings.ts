import type { Fleet } from '../../config/fleet.js';
import type { Finding } from '../../domain/finding.js';
import type { ClusterObservation } from '../../domain/observation.js';
import { previewPlan } from '../../domain/plan/preview.js';

/** What a run would meet: where its plan could not be carried to the end. */
export function preflightFindings(
  observation: ClusterObservation,
  { policy }: Pick<Fleet, 'policy'>,
): readonly Finding[] {
  const { ending } = previewPlan(observation, 'ccm', policy);
  return ending.kind === 'blocked' ? ending.findings : [];
}
