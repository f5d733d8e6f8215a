import { reversibilityOf } from '../../domain/decision/reversibility.js';
import { clusterOwner } from '../../domain/facts/owners.js';
import { nextStep } from '../../domain/next-step.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Standing } from './effect-lines.js';

/** As it was seen just now; its run has ended and says nothing any more of who leads. */
export function standingNow(
  observation: ClusterObservation,
  policy: MigrationPolicy,
  stepsDone: number | null,
): Standing {
  const back = nextStep(observation, 'kcm', policy);
  return {
    owner: clusterOwner(observation, policy.lock.controllers),
    reversibility: reversibilityOf(back, observation),
    ...{ step: null, stepsDone },
  };
}
