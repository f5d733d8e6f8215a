import type { Rules } from '../../../domain/decision/decide-run.js';
import type { Step } from '../../../domain/decision/step.js';
import type { FailureType } from '../../../domain/failures.js';
import type { RowBehaviour } from '../../../domain/fleet/simulated-member.js';
import type { Target } from '../../../domain/vocabulary.js';

/** So many steps take three nodes in place, the last comparison apart: the recorded history of such a run has them. */
export const USUAL_STEPS = 12;

/** One step of a model cluster. */
export interface BenchStep {
  readonly takesMs: number;
  /** Steps of the forward direction that are in force after it. */
  readonly done: number;
  /** The failure with which it ends; null when it succeeds. */
  readonly fails: string | null;
}

/** A cluster of which `done` steps are in force goes forward to `steps` of them, and back to none. */
export function benchRules(done: number, steps: number): Rules {
  return (_observation, target) => {
    if (target === 'ccm') return done < steps ? moves(target, done) : { kind: 'done' };
    return done > 0 ? moves(target, done - 1) : { kind: 'done' };
  };
}

/** What the next step of this cluster does. */
export function nextBenchStep(
  { changeMs, backMs, soakMs, fails }: RowBehaviour,
  steps: number,
  done: number,
  target: Target,
): BenchStep {
  const eachMs = changeMs / steps;
  const last = fails === null ? steps : failingStep(fails.afterMs, eachMs, steps) + 1;
  if (target === 'kcm') {
    return { takesMs: (backMs - soakMs) / last, done: done - 1, fails: null };
  }
  if (fails === null || done !== last - 1) return { takesMs: eachMs, done: done + 1, fails: null };
  return { takesMs: fails.afterMs - done * eachMs, done: done + 1, fails: fails.signature };
}

function failingStep(afterMs: number, eachMs: number, steps: number): number {
  return Math.min(steps - 1, Math.floor(afterMs / eachMs));
}

/**
 * Each kind of failure that a person must judge, by the number that was drawn. A closed gate is none of them: it stops a step
 * before it writes, and these failed after it.
 */
const FAILURE_KINDS = [
  'ForeignEdit',
  'Forbidden',
  'Unauthorized',
  'ForeignNode',
  'NotSupported',
  'ClusterMismatch',
] as const satisfies readonly FailureType[];

export function failureKind(signature: string): FailureType {
  const drawn = FAILURE_KINDS.find((_, index) => signature === `kind ${index}`);
  if (drawn === undefined) throw new Error(`no failure is drawn as "${signature}"`);
  return drawn;
}

function moves(target: Target, nth: number): { readonly kind: 'step'; readonly step: Step } {
  const forward = target === 'ccm';
  return {
    kind: 'step',
    step: {
      name: forward ? 'enableLeaderMigration' : 'restoreKcm',
      phase: forward ? 'enableLeaderMigration' : 'returnToKcm',
      why: 'the model says so',
      effect: {
        kind: 'changeManager',
        node: `cp-${nth + 1}`,
        want: { manager: 'kcm', role: 'inTree', leaderMigration: forward ? 'on' : 'off' },
        release: 'none',
      },
      cures: [],
    },
  };
}
