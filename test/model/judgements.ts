import { factsOf, type ClusterFacts } from '../../domain/ownership/cluster-facts.js';
import { runningProcesses } from '../../domain/ownership/owners.js';
import { memoizeByIdentity } from '../../domain/memoize.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { REPAIRS } from '../../domain/decision/steps/repairs.js';
import type { Target } from '../../domain/vocabulary.js';

/** Whether R1 to R4 would act; R0 alone completes what a step began and leaves no manager unprotected. */
export function needsRepair(
  observation: ClusterObservation,
  { target, policy }: { readonly target: Target; readonly policy: MigrationPolicy },
): boolean {
  return wouldRepair(factsOf(observation, target, policy));
}

/** The same, for callers that have the facts already. */
export function wouldRepair(facts: ClusterFacts): boolean {
  return REPAIRS.filter(({ name }) => name !== 'finishManifest').some(
    (rule) => rule.propose(facts).kind !== 'notNeeded',
  );
}

/** The largest number of processes that run any one migrated controller; a walk computes it several times per state. */
export const mostOwners = memoizeByIdentity(countOwners);

function countOwners(observation: ClusterObservation): number {
  return Math.max(
    ...(['service', 'route', 'cloud-node-lifecycle'] as const).map(
      (controller) => runningProcesses(observation, controller)?.length ?? 0,
    ),
  );
}
