import type { StepEffect } from '../../domain/step.js';

/** The node or machine that an effect concerns; empty when it concerns the cluster. */
export function nodeOfEffect(effect: StepEffect): string {
  if ('node' in effect && typeof effect.node === 'string') return effect.node;
  return 'machine' in effect ? effect.machine : '';
}
