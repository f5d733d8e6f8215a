import { nextStep } from '../../domain/decision/next-step.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { Target } from '../../domain/vocabulary.js';
import type { OwnershipInterval } from '../../testbed/simulator/model.js';
import type { Environment } from '../activities/environment.js';

export function intervalsOf({ cluster }: Environment): readonly OwnershipInterval[] {
  return cluster.truth().controllers.service.intervals;
}

/** Managers that run the service controller now, according to the processes themselves: `kcm`, `ccm kcm` or nothing. */
export function ownersIn(environment: Environment): string {
  const owners = intervalsOf(environment).at(-1)?.owners ?? [];
  return [...new Set(owners.map((owner) => owner.slice(0, 3)))].sort().join(' ');
}

export function secondsOfTwo(intervals: readonly OwnershipInterval[]): number {
  return intervals
    .filter(({ owners }) => owners.length > 1)
    .reduce((sum, { fromMs, toMs }) => sum + ((toMs ?? Infinity) - fromMs) / 1000, 0);
}

/** The name of the next step, or the codes of the findings that block it. */
export function decisionIn(
  { context }: Pick<Environment, 'context'>,
  observation: ClusterObservation,
  target: Target,
): string {
  const decision = nextStep(observation, target, context.policy);
  if (decision.kind === 'step') return decision.step.name;
  return decision.kind === 'done' ? 'done' : decision.findings.map(({ code }) => code).join(' ');
}
