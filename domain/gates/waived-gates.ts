import type { WaivedKey } from '../policy.js';
import type { Target } from '../vocabulary.js';
import type { GateVerdict } from './verdicts.js';

/** The verdicts that count: those of skipped soft gates hold and fail nothing. What a hard gate says always counts. */
export function countingVerdicts(
  verdicts: readonly GateVerdict[],
  waived: readonly WaivedKey[],
): readonly GateVerdict[] {
  return verdicts.filter((verdict) => !isWaived(verdict, waived));
}

/** Whether a person has skipped exactly this. */
export function isWaived(
  { gate, code, hardness }: Pick<GateVerdict, 'gate' | 'code' | 'hardness'>,
  waived: readonly WaivedKey[],
): boolean {
  return hardness === 'soft' && waived.some((each) => each.gate === gate && each.code === code);
}

/** No soft gate stops a rollback: it is the cure of most of them, and the cause of none. */
export function passesSoftGates(target: Target): boolean {
  return target === 'kcm';
}
