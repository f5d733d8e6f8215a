import type { Finding } from '../findings/finding.js';
import type { Inventory } from '../observation/observation.js';
import type { ProbeTimes } from '../probes/balancer-probe.js';
import type { Step } from './step.js';
import type { Owner, Target } from '../vocabulary.js';
import type { WaivedKey, Waiver } from '../policy.js';

/** The waivers and approvals that operators gave in a run so far. */
export interface Allowances {
  readonly waivers: readonly Waiver[];
  /** `handover`, or codes of findings. */
  readonly approvals: readonly string[];
}

/** The input of a decision besides observation and policy: the run's own waivers and approvals. */
export interface DecisionRequest extends Allowances {
  readonly target: Target;
  /** Inventory at the run's first observation; null when this is the first. */
  readonly since: Inventory | null;
  /** Rises with each change of target, waivers or approvals: a decision that carries an older one is discarded. */
  readonly revision: number;
  /** Soft gates that a person has skipped; no decision depends on them. Absent where there is none. */
  readonly waivedGates?: readonly WaivedKey[];
  /** What the probe before the first change measured; absent without one. */
  readonly probedBefore?: ProbeTimes;
}

/**
 * What to do next, decided in the activity that observed and recorded with the observation. The workflow only interprets it,
 * so a changed rule shows in the history and needs no change of workflow code.
 */
export interface RunDecision {
  readonly revision: number;
  /** Digest of target, policy, waivers and approvals. */
  readonly inputs: string;
  /** `decisiveDigest` of the observation: what waivers are bound to. */
  readonly state: string;
  /** Digest of the decision: equal while the same action is due, or refused for the same reasons. */
  readonly signature: string;
  readonly next: NextMove;
  /**
   * The comparison with the start of the run, used when the target is reached or before a step that rules out a
   * rollback.
   */
  readonly proof: PlannedStep;
  /** What to try out when one of the run's probes is due; absent where the policy has none. */
  readonly probe?: PlannedStep;
  readonly reversibility: string;
  readonly owner: Owner;
  /** A description of the cluster as observed. */
  readonly cluster: string;
}

export type NextMove =
  | { readonly kind: 'step'; readonly planned: PlannedStep }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'blocked';
      readonly findings: readonly [Finding, ...Finding[]];
      /** Findings that a person may let pass, and with which command. */
      readonly waivable: Readonly<Record<string, 'approve' | 'skip'>>;
    };

/** A step with everything the run's loop must know about it. */
export interface PlannedStep {
  readonly step: Step;
  /** Version of the step's effect: an executor that does not know it refuses before it writes. */
  readonly effectVersion: number;
  /** Identifies what the step does, regardless of its stated reason. */
  readonly key: string;
  /** The same value again means that the step changed nothing. */
  readonly attempt: string;
  /** The approval still missing before it; null when none is. */
  readonly approval: string | null;
  /** Whether soak and comparison come before it. */
  readonly afterProof: boolean;
  /** Whether an earlier soak and comparison still count after it. */
  readonly keepsProof: boolean;
  /** Whether it finishes a change that was cut off: that comes before any hold. */
  readonly recovers: boolean;
}
