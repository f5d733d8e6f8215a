import type { GateVerdict } from '../gates/verdicts.js';
import type { ClusterObservation } from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { Step } from '../decision/step.js';
import type { Target } from '../vocabulary.js';

/** An observation, and the step taken from it (null: none). */
export interface TracePoint {
  readonly observation: ClusterObservation;
  readonly target: Target;
  readonly step: Step | null;
  /** The step was taken and failed; absent where it succeeded, or none was taken. */
  readonly failed?: boolean;
  /** The effective policy at this observation, with waivers and approvals; absent where there were none. */
  readonly policy?: MigrationPolicy;
  /** Gates measured right before the step. */
  readonly verdicts: readonly GateVerdict[];
}

/** A change, with the fence it was made under. Times in epoch ms on one clock. */
export interface TracedMutation {
  readonly atMs: number;
  readonly epoch: number;
  readonly fenceEpoch: number;
}

/** A time span between `paused` and `resume`. */
export interface PauseWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RunTrace {
  readonly policy: MigrationPolicy;
  readonly points: readonly TracePoint[];
  readonly mutations: readonly TracedMutation[];
  readonly pauses: readonly PauseWindow[];
  readonly orphanBudgetSeconds: number;
}

export type InvariantName = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8' | 'I9' | 'I10';

/** The violated invariant, where in the trace, and a description. */
export interface InvariantBreach {
  readonly invariant: InvariantName;
  readonly point: number;
  readonly seen: string;
}
