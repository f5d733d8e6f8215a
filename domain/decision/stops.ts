import type { MigrationPolicy } from '../policy.js';
import type { Step } from '../step.js';
import type { Target } from '../vocabulary.js';

/** Whether a policy wants a person before this step: it takes a cloud loop away from the source side. A repair never waits. */
export function wantsApproval(
  { name, phase }: Pick<Step, 'name' | 'phase'>,
  { handoverApproval }: Pick<MigrationPolicy, 'handoverApproval'>,
  target: Target,
): boolean {
  if (target !== 'ccm' || handoverApproval === 'notRequired' || phase === 'repair') return false;
  return name === 'externalizeKcm' || name === 'removeMachine';
}

/** What closes the way back, or goes to the workers, waits until the control plane was proven. */
export function comesAfterProof({ phase }: Pick<Step, 'phase'>, target: Target): boolean {
  return phase === 'disableLeaderMigration' || (phase === 'rollWorkers' && target === 'ccm');
}
