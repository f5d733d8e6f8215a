import type { GateVerdict } from '../gates.js';
import type { ClusterObservation } from '../observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { Step } from '../step.js';
import type { Target } from '../vocabulary.js';

/** A look, and the step that was taken from it (null: none was). */
export interface TracePoint {
  readonly observation: ClusterObservation;
  readonly target: Target;
  readonly step: Step | null;
  /** The step was taken and did not end well; absent where it did, or none was. */
  readonly failed?: boolean;
  /** The policy as it counted at this look, with what people let pass; absent where nothing was. */
  readonly policy?: MigrationPolicy;
  /** Gates measured right before the step. */
  readonly verdicts: readonly GateVerdict[];
}

/** A change as it was made, with the fence it was made under. Times in epoch ms on one clock. */
export interface TracedMutation {
  readonly atMs: number;
  readonly epoch: number;
  readonly fenceEpoch: number;
}

/** A stretch between `paused` and `resume`. */
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

/** What was broken, where in the trace, in words. */
export interface InvariantBreach {
  readonly invariant: InvariantName;
  readonly point: number;
  readonly seen: string;
}
