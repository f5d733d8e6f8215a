import { reversibilityOf } from '../../domain/decision/decide-run.js';
import { nextStep } from '../../domain/decision/next-step.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { clusterOwner } from '../../domain/ownership/owners.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Target } from '../../domain/vocabulary.js';
import type { ClusterStatus } from '../../workflows/messages.js';
import { WHO_RUNS, counted, stepTitle } from '../terminal/wording.js';

/** What is known of a cluster before its direction is reversed. */
interface Standing extends Pick<ClusterStatus, 'owner' | 'step' | 'reversibility'> {
  /** Null where the run ended before counting them. */
  readonly stepsDone: number | null;
}

/** As reported by its run. */
export function standingOf({ stepsDone, ...status }: ClusterStatus): Standing {
  return { ...status, stepsDone: stepsDone.length };
}

const TARGETS: Readonly<Record<Target, string>> = {
  kcm: 'KCM, as before the migration',
  ccm: 'CCM',
};

/**
 * What turning the run to a target does, shown before the confirmation; empty for commands that leave the target, or
 * where no worker answers.
 */
export function effectLines(turnsTo: Target | null, standing: Standing | null): readonly string[] {
  if (turnsTo === null || standing === null) return [];
  const { owner, stepsDone, step, reversibility } = standing;
  const first = step === null ? 'at once' : `when ${stepTitle(step)} has ended`;
  const done = stepsDone === null ? '' : `${counted(stepsDone, 'step')} done, `;
  return [
    `Target:    ${TARGETS[turnsTo]}; begins ${first}`,
    `Now:       ${done}${WHO_RUNS[owner]}`,
    turnsTo === 'kcm'
      ? `Rollback:  ${reversibility}`
      : 'Effect:    manifests are changed and managers restarted; no leader for about 1 to 4 s at each change of leader',
  ];
}

/** As observed just now; its run has ended and no longer reports the leader. */
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
