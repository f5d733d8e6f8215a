import type { Finding } from '../finding.js';
import type { Inventory } from '../observation.js';
import type { Step } from '../step.js';
import type { Owner, Target } from '../vocabulary.js';
import type { Waiver } from '../policy.js';

/** What people let pass in a run so far. */
export interface Allowances {
  readonly waivers: readonly Waiver[];
  /** `handover`, or codes of findings. */
  readonly approvals: readonly string[];
}

/** What a decision rests on besides the observation and the policy: a run's own judgements. */
export interface DecisionRequest extends Allowances {
  readonly target: Target;
  /** What there was at the run's first observation; null when this is the first. */
  readonly since: Inventory | null;
  /** Rises with each change of target, waivers or approvals: a decision that carries an older one is discarded. */
  readonly revision: number;
}

/**
 * What is to be done next, decided beside the observation it rests on and recorded with it. The workflow interprets
 * it and computes nothing of its own, so a changed rule shows in the history and needs no change of workflow code.
 */
export interface RunDecision {
  readonly revision: number;
  /** Digest of target, policy, waivers and approvals. */
  readonly inputs: string;
  /** `decisiveDigest` of the observation: what waivers are bound to. */
  readonly state: string;
  /** Digest of what was decided: equal while the same thing is to be done, or refused for the same reasons. */
  readonly signature: string;
  readonly next: NextMove;
  /** The comparison with the start of the run, for when the target is reached or before a step that closes the way back. */
  readonly proof: PlannedStep;
  readonly reversibility: string;
  readonly owner: Owner;
  /** The cluster as observed, in words. */
  readonly cluster: string;
}

export type NextMove =
  | { readonly kind: 'step'; readonly planned: PlannedStep }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'blocked';
      readonly findings: readonly [Finding, ...Finding[]];
      /** Findings that a person may let pass, and by which word. */
      readonly waivable: Readonly<Record<string, 'approve' | 'skip'>>;
    };

/** A step with all that the run's loop must know about it. */
export interface PlannedStep {
  readonly step: Step;
  /** Version of the step's effect: an executor that does not know it refuses before it writes. */
  readonly effectVersion: number;
  /** Names what the step does, whatever reason it gives. */
  readonly key: string;
  /** The same again means that the step changed nothing. */
  readonly attempt: string;
  /** What a person must approve before it and has not; null when nothing. */
  readonly approval: string | null;
  /** Whether soak and comparison come before it. */
  readonly afterProof: boolean;
  /** Whether soak and comparison that were had still count after it. */
  readonly keepsProof: boolean;
  /** Whether it finishes a change that was cut off: that comes before any hold. */
  readonly recovers: boolean;
}
