import type { MetricGatePolicy } from '../policy.js';
import type { Verdict } from './verdicts.js';

/** Gates on metrics: a measured failure; a suspicion; what could not be measured. Only the first may turn a run. */
export const METRIC_CODES = { fail: 'CCM3101', suspect: 'CCM3102', unmeasured: 'CCM3103' } as const;

/** Objects that fail and did not before the run, and whether the new owner sees the cloud. */
export const OBJECT_CODES = { objects: 'CCM3104', sight: 'CCM3105' } as const;

/** An unexplained difference from the start of a run. Users change objects too, so it holds for a person and never turns a run. */
export const DIFFERENCE_CODE = 'CCM3015';

/** The code says what was found, as a line of the fence carries no verdict: only one of a failure may turn a run. */
export function softCode(verdict: Verdict, failCode: string): string {
  switch (verdict) {
    case 'pass':
    case 'fail':
      return failCode;
    case 'inconclusive':
      return METRIC_CODES.suspect;
    case 'error':
    case 'noData':
      return METRIC_CODES.unmeasured;
  }
}

/**
 * Codes of gates that the guard watches besides the facts of one observation, several of which share a code. They stop every
 * change but a repair: what a repair ends is worse.
 */
export function isSoftCode(code: string): boolean {
  return code.startsWith('CCM31');
}

/** Whether a policy has the guard watch any of them. */
export function judgesSoftGates(policy: MetricGatePolicy | undefined): boolean {
  if (policy === undefined) return false;
  const { catalogue, objects, own = [] } = policy;
  return catalogue === 'nodes' || objects === 'watch' || own.length > 0;
}
