import type { PlannedStep } from '../decision/run-decision.js';
import type { Envelope } from '../authority/signed-envelope.js';
import type { ChainHead } from '../evidence/chain.js';
import type { Finding } from '../findings/finding.js';
import type { QuietNote } from '../gates/quiet-notes.js';
import type { GateVerdict } from '../gates/verdicts.js';
import type { FailureType, WhoActs } from '../failures.js';
import type { Inventory } from '../observation/observation.js';
import type { ProbeTimes } from '../probes/balancer-probe.js';
import type { MigrationPolicy, WaivedGate, Waiver } from '../policy.js';
import type { Step } from '../decision/step.js';
import type { Target } from '../vocabulary.js';
import type { WordToGoOn } from './automation.js';
import type { CommandAnswer, OperatorCommand } from './operator-command.js';
import type { FleetTies } from './fleet-ties.js';
import type { MemberMessage } from './membership.js';
import type { RunOutcome } from './outcome.js';
import type { QueuedCommand, ReceivedAs, Yields } from './queued-command.js';
import type { Requester } from './who-asked.js';
import type {
  RunChange,
  RunCheck,
  RunObservation,
  SoakProgress,
  SoakResult,
  StepResult,
} from './results.js';

export type { AdmittedBy, QueuedCommand } from './queued-command.js';
export type { Requester } from './who-asked.js';

/** Any activity that did not succeed. */
export interface RunFailure {
  readonly type: FailureType;
  readonly whoActs: WhoActs;
  readonly message: string;
  /** Proven: nothing was written, so no new epoch is needed. */
  readonly neverRan: boolean;
  /** Gates that stopped a step before it wrote; empty for other failures. */
  readonly verdicts: readonly GateVerdict[];
}

/** What is in flight. `held` waits for an operator, or for the cluster to change. */
export type InFlight =
  | { readonly kind: 'idle' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'takingFence' }
  | { readonly kind: 'observing' }
  | { readonly kind: 'stepping'; readonly planned: PlannedStep }
  | { readonly kind: 'soaking'; readonly soakMs: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'ended'; readonly outcome: RunOutcome };

/** `environment`: the hold ends by itself once its cause has passed. `person`: an operator has to decide. */
export type HoldActor = 'environment' | 'person';

/** Why the run must not take its next step by itself. */
export type HoldReason =
  /** An activity failed. */
  | { readonly kind: 'failure'; readonly whoActs: HoldActor; readonly findings: Findings }
  /** An activity failed and nothing can make this run continue. */
  | { readonly kind: 'fatal'; readonly findings: Findings; readonly failure: RunFailure }
  | { readonly kind: 'repeats'; readonly whoActs: HoldActor; readonly findings: Findings }
  | {
      readonly kind: 'gates';
      readonly whoActs: HoldActor;
      readonly findings: Findings;
      /** Finding codes of the gates that hold it, without those that the next step would cure. */
      readonly codes: readonly string[];
      /** Policy rolls the run back when the hold has lasted so long; absent where it does not, or where a person has decided. */
      readonly turnsAfterMs?: number;
    }
  /** No worker or no guard serves the cluster; the run goes on when one does. */
  | { readonly kind: 'unserved'; readonly findings: Findings }
  /** `what` waits for a person: `handover`, or the code of a finding. */
  | { readonly kind: 'approval'; readonly findings: Findings; readonly what: string }
  | { readonly kind: 'rejected'; readonly findings: Findings; readonly what: string }
  /** The rules see no safe step; a change in the cluster can end this hold by itself. */
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

/** Everything a run remembers, as plain JSON. It never remembers the cluster's state: it observes. */
export interface RunState {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly policy: MigrationPolicy;
  readonly direction: Direction;
  readonly operatorHold: OperatorHold;
  readonly membership: FleetTies;
  readonly problems: Problems;
  readonly commands: Commands;
  readonly fence: Fence;
  readonly attempts: Attempts;
  readonly proofs: Proofs;
  readonly done: StepsDone;
  readonly observed: RunObservation | null;
  readonly pending: Pending;
  readonly inFlight: InFlight;
  /** What the last change reported of the run's evidence; absent before it, and where an older build made it. */
  readonly evidence?: ChainHead;
  /** Epoch ms on the server's clock; absent where an older build began the run. */
  readonly beganAtMs?: number;
  /** The rollback that a hold ends with unless something else ends it first; absent where none is due. */
  readonly pendingTurn?: PendingTurn;
  /** The commands that its direction rests on, as they were signed, oldest first; absent where there is none. */
  readonly signed?: readonly Envelope[];
  /** The signed command to its fleet by which it was tried again last in this direction; absent where there is none. */
  readonly triedBy?: Envelope;
  /** Digests of signed commands that it has followed, each of which counts once; absent where there is none. */
  readonly spent?: readonly string[];
}

/** A rollback by policy that waits for a person's decision. */
export interface PendingTurn {
  /** When the hold began, in epoch ms on the server's clock; null until the workflow has noted it. */
  readonly sinceMs: number | null;
  readonly afterMs: number;
  /** Failures meanwhile leave it its time; absent where an older build noted the hold. */
  readonly outlasts?: true;
}

/** Where the run moves the cluster, and what was accepted for it. A change of direction replaces all of it. */
export interface Direction {
  readonly target: Target;
  /** Why the run has this target, for people. */
  readonly reason: string;
  /** Who asked for this direction, for the evidence of every write. */
  readonly requestedBy: Requester;
  /** Rises with each change of target, waivers or approvals; a decision made before the change is discarded. */
  readonly revision: number;
  /**
   * Digest of the plan being executed: the one the run was started with, or after a change of direction the one checked
   * then.
   */
  readonly planDigest: string;
  /** Findings of that check; they hold the run. */
  readonly objections: readonly Finding[];
  readonly waivers: readonly Waiver[];
  /** Approved for this direction: `handover`, or finding codes. */
  readonly approvals: readonly string[];
  /** Who has approved the handover, where a worker has said whose approvals they are; absent before the first. */
  readonly handover?: HandoverApprovals;
  /** Soft gates that a person has skipped: they hold nothing in this direction. Absent where there is none. */
  readonly waivedGates?: readonly WaivedGate[];
}

/** Approvals of a handover so far. */
export interface HandoverApprovals {
  /** Principals, each once. */
  readonly by: readonly string[];
  /** How many it takes. */
  readonly quorum: number;
}

/** An operator's pause or stop; it survives a change of direction. */
export type OperatorHold =
  | { readonly kind: 'none' }
  /** `commandId`: of an order of automation, so that the end of its alert can be noted on it. `yields`: it holds no rollback. */
  | {
      readonly kind: 'pause';
      readonly by: Requester;
      readonly commandId?: string;
      readonly yields?: Yields;
    }
  | { readonly kind: 'stop' };

/** What stands in the way of the next step. */
export interface Problems {
  readonly holdReason: HoldReason | null;
  /** Gates that did not pass when last measured. */
  readonly gates: readonly GateVerdict[];
  /** Breaches that the guard reported; they remain until a step cures them or an operator acts. */
  readonly breaches: readonly GateVerdict[];
  readonly lastFailure: { readonly whoActs: HoldActor; readonly text: string };
}

/** Commands of operators. */
export interface Commands {
  /** Waiting for a safe point, in order of arrival. */
  readonly queue: readonly QueuedCommand[];
  /** By commandId; also records which ids were seen. */
  readonly answers: Readonly<Record<string, CommandAnswer>>;
  /** Digests of the ids of commands whose answers are no longer kept. */
  readonly older: readonly string[];
  /** The last word of a person that let the run go on; absent where there was none. */
  readonly lastWord?: WordToGoOn;
}

export interface Fence {
  readonly epoch: number;
  /** Number of fence requests: gives each new request its own id, while a retried request keeps it. */
  readonly requests: number;
}

/** What was tried without success; an operator command forgets it. */
export interface Attempts {
  /** How often a decision was executed since the last operator command, by digest of step and observation. */
  readonly byDecision: Readonly<Record<string, number>>;
  /** Consecutive failures of one step, by its key. */
  readonly failures: { readonly step: string; readonly count: number };
  readonly guardLosses: number;
  /** Consecutive steps that no worker took, or whose executor did not know them. */
  readonly unserved: number;
  /** Holds that healed since the last step: each further one must stay healthy longer before it ends. */
  readonly heals: number;
  /** Waits for the cluster without a step in between: each wait is longer than the last. */
  readonly waits: number;
}

/** What is proven about the cluster since the last step that could have harmed it. */
export interface Proofs {
  readonly soak: 'pending' | 'failed' | 'passed';
  /** Progress of the pending soak; null when it starts from zero. */
  readonly soakProgress: SoakProgress | null;
  /** What the gates of the latest soak could not see; absent in runs that an older build began. */
  readonly notes?: readonly QuietNote[];
  /** Whether everything that must survive was compared with `since`. */
  readonly verified: boolean;
  /** Absent where nothing was probed. */
  readonly probes?: ProbesDone;
  /** Inventory at the run's first observation; null before it. */
  readonly since: Inventory | null;
}

export interface ProbesDone {
  /** What the probe before the first change of this run measured. */
  readonly before?: ProbeTimes;
  /** Whether this direction's target was probed. */
  readonly after?: boolean;
}

export interface StepsDone {
  readonly steps: readonly StepRecord[];
  /** Steps of which only totals are kept. */
  readonly earlier: Totals;
}

export interface Totals {
  readonly steps: number;
  readonly orphanMs: number;
  readonly mutations: number;
}

/** What must happen before the next decision, in this order. */
export interface Pending {
  /** A step failed and its outcome is not known yet: no safe point until the fence is new and the cluster observed. */
  readonly recovery: boolean;
  /** The read-only check of the run's input, before its first fence. */
  readonly check: boolean;
  /** The same check again under the fence, because another run may have been writing until it was displaced. */
  readonly recheck: boolean;
  /** The same check for the plan of a changed direction, before its first step that is not a repair. */
  readonly plan: boolean;
  readonly fence: boolean;
  /** The fence may be taken despite the breaches recorded in it: an operator or policy accepted them. */
  readonly acknowledge: boolean;
  /** Pause in ms before the cluster is observed again; 0 for none. */
  readonly restMs: number;
  readonly observed: boolean;
  readonly measure: boolean;
}

export type RunEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'checked'; readonly report: RunCheck }
  | { readonly kind: 'fenceTaken'; readonly epoch: number; readonly evidence?: ChainHead }
  | { readonly kind: 'observed'; readonly observed: RunObservation }
  | { readonly kind: 'stepFinished'; readonly report: RunObservation & StepResult }
  | { readonly kind: 'soakFinished'; readonly report: RunObservation & SoakResult }
  | { readonly kind: 'changeSeen'; readonly change: RunChange }
  | { readonly kind: 'rested' }
  /** The activity in flight failed: a step, the fence, an observation, a soak or a wait. */
  | { readonly kind: 'activityFailed'; readonly failure: RunFailure }
  | ({
      readonly kind: 'commandReceived';
      readonly command: OperatorCommand;
      /** Epoch ms. */
      readonly atMs?: number;
    } & ReceivedAs)
  | { readonly kind: 'commandMalformed'; readonly commandId: string; readonly problem: string }
  /** Who sent it may not give it. */
  | { readonly kind: 'commandRefused'; readonly commandId: string; readonly why: string }
  /** No worker had said who sent it when the run ended. */
  | { readonly kind: 'commandUnheard'; readonly commandId: string }
  /**
   * `isBound`: people signed what this run was asked for, so that its fleet changes its course with their commands only. `yields`: it comes
   * of automation, whose pauses hold no rollback.
   */
  | {
      readonly kind: 'orderReceived';
      readonly message: MemberMessage;
      readonly isBound?: boolean;
      readonly yields?: Yields;
    }
  /** Temporal cancellation; it means `stop`, never a rollback. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'guardBreach'; readonly verdict: GateVerdict }
  /** The time of a pending turn is up: the one of the hold that began at `sinceMs`. */
  | { readonly kind: 'turnDue'; readonly sinceMs: number }
  | { readonly kind: 'guardEnded'; readonly why: string }
  /** The run reached its target, but the guard of its last epoch reported nothing. */
  | { readonly kind: 'guardSilent' };

/** What ends a wait besides its time. */
export type WaitGoal =
  /** The decision differs from this one. */
  | { readonly kind: 'decision'; readonly signature: string }
  /**
   * The fence recorded no breach and every gate passed, for the policy's time doubled `heals` times. Ownership is awaited
   * only where it is the cause of the hold (`codes`): otherwise the next step is the cure.
   */
  | { readonly kind: 'healed'; readonly heals: number; readonly codes: readonly string[] }
  /** The guard renews the fence in the current epoch. */
  | { readonly kind: 'guarded' };

export type NextAction =
  /** Nothing new: the activity in flight continues. */
  | { readonly kind: 'continue' }
  /** `early`: checks only what does not depend on the cluster's state. */
  | { readonly kind: 'check'; readonly early: boolean }
  /** `patient`: waits for workers and API server without a limit; commands end it. */
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
  | { readonly kind: 'awaitChange'; readonly goal: WaitGoal; readonly waitCount: number }
  | { readonly kind: 'rest'; readonly ms: number }
  | { readonly kind: 'awaitCommand' }
  | { readonly kind: 'finish'; readonly outcome: RunOutcome };

export interface Transition {
  readonly state: RunState;
  readonly command: NextAction;
}
