import type { Finding } from '../finding.js';
import type { GateVerdict } from '../gates.js';
import type { FailureType, WhoActs } from '../failures.js';
import type { ClusterObservation, Inventory } from '../observation.js';
import type { MigrationPolicy, Waiver } from '../policy.js';
import type { Step } from '../step.js';
import type { Hold, Target } from '../vocabulary.js';
import type { CommandAnswer, OperatorCommand } from './operator-command.js';
import type { RunOutcome } from './outcome.js';

/** When a Lease version was first seen, on the worker's clock: it is handed from look to look. */
export interface Sighting {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly firstSeenAtMs: number;
}

export interface RunLook {
  readonly observation: ClusterObservation;
  readonly sightings: readonly Sighting[];
}

/** Result of a step: what the cluster is now, whether its gates hold, and what people are told. Times in ms. */
export interface RunReport extends RunLook {
  readonly verdicts: readonly GateVerdict[];
  readonly summary: {
    readonly mutations: number;
    readonly requests: number;
    readonly durationMs: number;
    readonly detail: string;
    readonly orphanMs: number;
  };
}

export interface RunSoak extends RunLook {
  readonly verdicts: readonly GateVerdict[];
}

/** An activity that did not succeed, whichever it was. */
export interface RunFailure {
  readonly type: FailureType;
  readonly whoActs: WhoActs;
  readonly message: string;
  /** True when an effect may have happened, or may still happen. */
  readonly outcomeUnknown: boolean;
}

/** What is in flight. `held` waits for people, or for the cluster to change. */
export type Activity =
  | { readonly kind: 'idle' }
  | { readonly kind: 'takingFence' }
  | { readonly kind: 'looking' }
  | { readonly kind: 'stepping'; readonly step: Step }
  | { readonly kind: 'soaking'; readonly soakMs: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'ended'; readonly outcome: RunOutcome };

/** Why the run may not take its next step by itself. */
export type Trouble =
  /** An activity failed and an operator must act. */
  | { readonly kind: 'failure'; readonly findings: Findings }
  /** An activity failed and nobody can make this run go on. */
  | { readonly kind: 'fatal'; readonly findings: Findings; readonly failure: RunFailure }
  | { readonly kind: 'repeats'; readonly findings: Findings }
  | { readonly kind: 'gates'; readonly findings: Findings }
  /** `what` waits for a person: `handover`, or the code of a finding. */
  | { readonly kind: 'approval'; readonly findings: Findings; readonly what: string }
  | { readonly kind: 'rejected'; readonly findings: Findings; readonly what: string }
  /** The rules see no safe step; a change of the cluster can end this by itself. */
  | { readonly kind: 'blocked'; readonly findings: Findings };

export type Findings = readonly [Finding, ...Finding[]];

export interface StepRecord {
  readonly name: Step['name'];
  readonly phase: Step['phase'];
  readonly node: string;
  readonly detail: string;
  readonly durationMs: number;
  readonly orphanMs: number;
}

/** Everything a run remembers, as plain JSON. What the cluster is, it never remembers: it looks. */
export interface RunState {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly policy: MigrationPolicy;
  readonly target: Target;
  /** Why the target is what it is, for people. */
  readonly because: string;
  /** Who asked for this direction, for the evidence of every write. */
  readonly mandate: { readonly actor: string; readonly reason: string };
  readonly hold: Hold;
  readonly activity: Activity;
  /** Commands that wait for a safe point, in order of arrival. */
  readonly queue: readonly OperatorCommand[];
  /** By commandId; also the memory of which ids were seen. */
  readonly answers: Readonly<Record<string, CommandAnswer>>;
  readonly look: RunLook | null;
  readonly epoch: number;
  /** How often the fence was asked for: makes each new request for it a new one, and a repeated one the same. */
  readonly fences: number;
  readonly due: { readonly fence: boolean; readonly look: boolean; readonly measure: boolean };
  /** A step failed and its outcome is not known yet: no safe point until the fence is anew and a look was had. */
  readonly recovering: boolean;
  readonly trouble: Trouble | null;
  /** Gates that did not pass when last measured. */
  readonly gates: readonly GateVerdict[];
  /** Breaches that the guard reported; they stand until a cure or an operator. */
  readonly breaches: readonly GateVerdict[];
  readonly waivers: readonly Waiver[];
  /** Approved for this direction: `handover`, or finding codes. */
  readonly approvals: readonly string[];
  /** How often a decision was carried out since the last operator's word, by digest of step and observation. */
  readonly tries: Readonly<Record<string, number>>;
  /** Consecutive failures of one step, by its digest. */
  readonly failures: { readonly step: string; readonly count: number };
  readonly guardLosses: number;
  readonly soak: 'due' | 'failed' | 'passed';
  /** What there was at the run's first look; null before it. */
  readonly since: Inventory | null;
  /** Whether what must survive was compared with `since` after the last step that could have harmed it. */
  readonly verified: boolean;
  /** How often the cluster was awaited without a change of the decision: each wait is longer than the last. */
  readonly waits: number;
  readonly steps: readonly StepRecord[];
  readonly lastFailure: string;
}

export type RunEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'fenceTaken'; readonly epoch: number }
  | { readonly kind: 'looked'; readonly look: RunLook }
  | { readonly kind: 'stepFinished'; readonly report: RunReport }
  | { readonly kind: 'soakFinished'; readonly report: RunSoak }
  | { readonly kind: 'changeSeen'; readonly look: RunLook }
  /** Whatever was in flight failed: a step, the fence, a look, a soak or a wait. */
  | { readonly kind: 'activityFailed'; readonly failure: RunFailure }
  | { readonly kind: 'commandReceived'; readonly command: OperatorCommand }
  | { readonly kind: 'commandMalformed'; readonly commandId: string; readonly problem: string }
  /** Temporal cancellation: means `stop`, never a rollback. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'guardBreach'; readonly verdict: GateVerdict }
  | { readonly kind: 'guardEnded'; readonly why: string };

export type RunCommand =
  /** Nothing new: what is in flight goes on. */
  | { readonly kind: 'continue' }
  | { readonly kind: 'takeFence'; readonly fence: number }
  | { readonly kind: 'observe' }
  | { readonly kind: 'runStep'; readonly step: Step }
  /** `soakMs` 0 measures the gates once. */
  | { readonly kind: 'soak'; readonly soakMs: number }
  | { readonly kind: 'awaitChange'; readonly findings: Findings; readonly waits: number }
  | { readonly kind: 'awaitCommand' }
  | { readonly kind: 'finish'; readonly outcome: RunOutcome };

export interface Transition {
  readonly state: RunState;
  readonly command: RunCommand;
}
