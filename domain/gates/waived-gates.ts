import type { GateVerdict } from './verdicts.js';

/** A soft gate that a person has skipped, for one direction of a run. */
export interface WaivedGate {
  readonly gate: string;
  /** Only this finding of it: a gate skipped because it could not be measured still holds when it fails. */
  readonly code: string;
  readonly actor: string;
  readonly reason: string;
}

/** What names a waived gate. */
export type WaivedKey = Pick<WaivedGate, 'gate' | 'code'>;

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
