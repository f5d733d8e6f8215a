import type { RunDecision, PlannedStep } from '../decision/run-decision.js';
import type { Finding } from '../finding.js';
import type { GateVerdict } from '../gates.js';
import type { FailureType, WhoActs } from '../failures.js';
import type { Inventory } from '../observation.js';
import type { MigrationPolicy, Waiver } from '../policy.js';
import type { Step } from '../step.js';
import type { Hold, Target } from '../vocabulary.js';
import type { CommandAnswer, OperatorCommand } from './operator-command.js';
import type { RunOutcome } from './outcome.js';

/** When a Lease version was first seen, on the worker's clock: it is handed from observation to observation. */
export interface Sighting {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly firstSeenAtMs: number;
}

/** What a run keeps of an observation: what was decided from it, never the observation itself. */
export interface RunLook {
  readonly decision: RunDecision;
  readonly sightings: readonly Sighting[];
  readonly inventory: Inventory;
  /** Whether the guard renewed the fence in the present epoch when this was observed. */
  readonly guarded: boolean;
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

/** How far a soak has come; plain JSON that the next attempt goes on with. Times in ms. */
export interface SoakProgress {
  /** Time watched with every gate measured; a transient error stops this clock and does not turn it back. */
  readonly soakedMs: number;
  readonly inventory: Inventory;
  readonly orphanedMs: number;
}

export interface RunSoak extends RunLook {
  readonly verdicts: readonly GateVerdict[];
  /** False when it was interrupted before its time was up and no gate had failed. */
  readonly complete: boolean;
  readonly progress: SoakProgress;
}

/** What the check of a plan came to. */
export interface RunCheck {
  /** Of policy, materials and the cluster as it is, for the present target; null where the cluster was not looked at. */
  readonly planDigest: string | null;
  /** What forbids a run that was turned around to begin this direction; repairs go on. */
  readonly objections: readonly Finding[];
}

/** How a wait ended. */
export interface RunChange {
  readonly ended: 'changed' | 'healed' | 'guarded' | 'timeUp';
  readonly decision: RunDecision;
  readonly sightings: readonly Sighting[];
}

/** An activity that did not succeed, whichever it was. */
export interface RunFailure {
  readonly type: FailureType;
  readonly whoActs: WhoActs;
  readonly message: string;
  /** Proven: nothing was written, so no new epoch is needed. */
  readonly neverRan: boolean;
  /** Gates that stopped a step before it wrote; empty for other failures. */
  readonly verdicts: readonly GateVerdict[];
}

/** What is in flight. `held` waits for people, or for the cluster to change. */
export type Activity =
  | { readonly kind: 'idle' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'takingFence' }
  | { readonly kind: 'looking' }
  | { readonly kind: 'stepping'; readonly planned: PlannedStep }
  | { readonly kind: 'soaking'; readonly soakMs: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'ended'; readonly outcome: RunOutcome };

/** `environment`: the hold ends by itself once its cause has passed. `person`: somebody has to judge. */
export type HoldActor = 'environment' | 'person';

/** Why the run may not take its next step by itself. */
export type Trouble =
  /** An activity failed. */
  | { readonly kind: 'failure'; readonly whoActs: HoldActor; readonly findings: Findings }
  /** An activity failed and nobody can make this run go on. */
  | { readonly kind: 'fatal'; readonly findings: Findings; readonly failure: RunFailure }
  | { readonly kind: 'repeats'; readonly whoActs: HoldActor; readonly findings: Findings }
  | {
      readonly kind: 'gates';
      readonly whoActs: HoldActor;
      readonly findings: Findings;
      /** Finding codes of the gates that hold it: those that the next step would cure are not among them. */
      readonly codes: readonly string[];
    }
  /** No worker or no guard serves the cluster; the run goes on when one does. */
  | { readonly kind: 'unserved'; readonly findings: Findings }
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
  readonly mutations: number;
}

/** Everything a run remembers, as plain JSON. What the cluster is, it never remembers: it observes. */
export interface RunState {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly policy: MigrationPolicy;
  readonly target: Target;
  /** Of what is carried out: the plan that the run was started with, and after a turn the one that was checked then. */
  readonly planDigest: string;
  /** Findings of that check, which hold the run. */
  readonly objections: readonly Finding[];
  /** Why the target is what it is, for people. */
  readonly because: string;
  /** Who asked for this direction, for the evidence of every write. */
  readonly mandate: { readonly actor: string; readonly reason: string };
  readonly hold: Hold;
  /** Who paused it and why; null while it is not paused. */
  readonly pausedBy: { readonly actor: string; readonly reason: string } | null;
  readonly activity: Activity;
  /** Commands that wait for a safe point, in order of arrival. */
  readonly queue: readonly OperatorCommand[];
  /** By commandId; also the memory of which ids were seen. */
  readonly answers: Readonly<Record<string, CommandAnswer>>;
  /** Digests of the ids of commands whose answers are not kept any more. */
  readonly olderCommands: readonly string[];
  readonly look: RunLook | null;
  /** Rises with each change of target, waivers or approvals; a decision made before the change is discarded. */
  readonly revision: number;
  readonly epoch: number;
  /** How often the fence was asked for: makes each new request for it a new one, and a repeated one the same. */
  readonly fences: number;
  readonly due: Due;
  /** A step failed and its outcome is not known yet: no safe point until the fence is new and the cluster observed. */
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
  /** Consecutive failures of one step, by its key. */
  readonly failures: { readonly step: string; readonly count: number };
  readonly guardLosses: number;
  /** Steps in a row that no worker took, or that its executor did not know. */
  readonly unserved: number;
  /** Holds that healed since the last step: each next one has to stay healthy for longer before it ends. */
  readonly heals: number;
  readonly soak: 'due' | 'failed' | 'passed';
  /** How far the soak came that is due; null when it begins at zero. */
  readonly soakProgress: SoakProgress | null;
  /** What there was at the run's first observation; null before it. */
  readonly since: Inventory | null;
  /** Whether what must survive was compared with `since` after the last step that could have harmed it. */
  readonly verified: boolean;
  /** How often the cluster was awaited without a step in between: each wait is longer than the last. */
  readonly waits: number;
  readonly steps: readonly StepRecord[];
  /** Steps of which only the totals are kept any more. */
  readonly earlier: Totals;
  readonly lastFailure: { readonly whoActs: HoldActor; readonly text: string };
}

export interface Totals {
  readonly steps: number;
  readonly orphanMs: number;
  readonly mutations: number;
}

/** What must come before the next decision, in this order. */
export interface Due {
  /** The read-only check of what the run was given, before its first fence. */
  readonly check: boolean;
  /** The same again under the fence, where another run may have been at work until it was displaced. */
  readonly recheck: boolean;
  /** The same for the plan of a direction that the run was turned to: before its first step that is no repair. */
  readonly plan: boolean;
  readonly fence: boolean;
  /** The fence may be taken over the breaches that stand in it: a person or policy judged them. */
  readonly acknowledge: boolean;
  /** Pause in ms before the cluster is observed again; 0 for none. */
  readonly restMs: number;
  readonly look: boolean;
  readonly measure: boolean;
}

export type RunEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'checked'; readonly report: RunCheck }
  | { readonly kind: 'fenceTaken'; readonly epoch: number }
  | { readonly kind: 'looked'; readonly look: RunLook }
  | { readonly kind: 'stepFinished'; readonly report: RunReport }
  | { readonly kind: 'soakFinished'; readonly report: RunSoak }
  | { readonly kind: 'changeSeen'; readonly change: RunChange }
  | { readonly kind: 'rested' }
  /** Whatever was in flight failed: a step, the fence, an observation, a soak or a wait. */
  | { readonly kind: 'activityFailed'; readonly failure: RunFailure }
  | { readonly kind: 'commandReceived'; readonly command: OperatorCommand }
  | { readonly kind: 'commandMalformed'; readonly commandId: string; readonly problem: string }
  /** Temporal cancellation: means `stop`, never a rollback. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'guardBreach'; readonly verdict: GateVerdict }
  | { readonly kind: 'guardEnded'; readonly why: string }
  /** The run would have ended well, but the guard of its last epoch reports nothing. */
  | { readonly kind: 'unvouched' };

/** What ends a wait besides its time. */
export type WaitGoal =
  /** The decision is another one than this. */
  | { readonly kind: 'decision'; readonly signature: string }
  /**
   * No breach stood in the fence and every gate passed, for the policy's time doubled `heals` times. Who owns is only
   * waited for where it is what the run holds for (`codes`): otherwise the next step is the cure.
   */
  | { readonly kind: 'healed'; readonly heals: number; readonly codes: readonly string[] }
  /** The guard renews the fence in the present epoch. */
  | { readonly kind: 'guarded' };

export type RunCommand =
  /** Nothing new: what is in flight goes on. */
  | { readonly kind: 'continue' }
  /** `early`: only what does not depend on the cluster's state. */
  | { readonly kind: 'check'; readonly early: boolean }
  /** `patient`: waits for workers and API server for as long as it takes; commands end it. */
  | {
      readonly kind: 'takeFence';
      readonly fence: number;
      readonly acknowledge: boolean;
      readonly patient: boolean;
    }
  | { readonly kind: 'observe'; readonly patient: boolean }
  | { readonly kind: 'runStep'; readonly planned: PlannedStep }
  /** `soakMs` 0 measures the gates once. */
  | { readonly kind: 'soak'; readonly soakMs: number }
  | { readonly kind: 'awaitChange'; readonly goal: WaitGoal; readonly waits: number }
  | { readonly kind: 'rest'; readonly ms: number }
  | { readonly kind: 'awaitCommand' }
  | { readonly kind: 'finish'; readonly outcome: RunOutcome };

export interface Transition {
  readonly state: RunState;
  readonly command: RunCommand;
}
