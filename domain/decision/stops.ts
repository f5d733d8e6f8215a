import type { MigrationPolicy } from '../policy.js';
import type { Step } from '../step.js';
import type { Target } from '../vocabulary.js';

/**
 * Whether the policy requires an approval before this step, because it takes a cloud loop away from the source side. A
 * repair never waits.
 */
export function wantsApproval(
  { name, phase }: Pick<Step, 'name' | 'phase'>,
  { handoverApproval }: Pick<MigrationPolicy, 'handoverApproval'>,
  target: Target,
): boolean {
  if (target !== 'ccm' || handoverApproval === 'notRequired' || phase === 'repair') return false;
  return name === 'externalizeKcm' || name === 'removeMachine';
}

/** A step that rules out a rollback, or changes workers, waits until the control plane is proven. */
export function comesAfterProof({ phase }: Pick<Step, 'phase'>, target: Target): boolean {
  return phase === 'disableLeaderMigration' || (phase === 'rollWorkers' && target === 'ccm');
}
