import type { CoveredMember } from '../domain/authority/authorise.js';
import type { Envelope } from '../domain/authority/signed-envelope.js';
import type { OperatorCommand } from '../domain/run/operator-command.js';
import type { WaitGoal } from '../domain/run/run-state.js';
import type { DecisionRequest, PlannedStep } from '../domain/decision/run-decision.js';
import type { GateVerdict } from '../domain/gates/verdicts.js';
import type { ObjectWatch } from '../domain/gates/objects/object-watch.js';
import type { OwnBook } from '../domain/gates/own/own-book.js';
import type { GateBook } from '../domain/gates/watch/gate-book.js';
import type { Step } from '../domain/decision/step.js';
import type { ChainHead } from '../domain/evidence/chain.js';
import type { ClusterObservation } from '../domain/observation/observation.js';
import type { PackedObservation } from '../domain/observation/packed-observation.js';
import type { MigrationPolicy, WaivedKey } from '../domain/policy.js';
import type { OwnershipFigures, OwnershipTrace } from '../domain/ownership/ownership-trace.js';
import type {
  LeaseFirstSeen,
  ObservationResult,
  RunChange,
  RememberedObservation,
  RunCheck,
  SoakProgress,
  SoakResult,
  StepResult,
} from '../domain/run/results.js';
import type { RunTimings } from '../domain/policy.js';

/** The activities as workflows see them: types only. Every value is plain JSON. */
export interface ClusterActivities {
  /**
   * Makes this run the one that may change the cluster: raises the epoch in the fence Lease. Idempotent: the same run and
   * nonce get the same epoch again. It does not open the fence: only the guard does. Fails with `AlreadyRunning` (naming the
   * holder) when another run holds the fence and `takeOver` is absent, and with `FenceLost` when `closeRun` has already ended
   * this run.
   */
  takeFence(input: TakeFenceInput): Promise<FenceGrant>;
  /**
   * Checks the input of the run, read only and before the first fence: schemas, the CCM's manifest, the plan's digest against
   * the current cluster, and preflight. Fails `InvalidInput`, `StalePlan` or `PreflightFailed`.
   */
  checkStart(input: CheckInput): Promise<RunCheck>;
  /**
   * Observes the whole cluster and decides what comes next. Read only. Waits until every Lease was observed twice and, where
   * a step comes next, for a bounded time until the guard has renewed the fence in this epoch.
   */
  observeCluster(input: ObserveInput): Promise<DecidedObservation>;
  /**
   * Whether a command may be applied: its signature, whose it is, and what the access policy of the worker lets them do.
   * Reads no cluster.
   */
  admitCommand(input: AdmitInput): Promise<Admission>;
  /**
   * Executes one step: fence, observe, act, prove, observe again, hard gates, and decides what comes next. Waits up to
   * `guardWaitMs` for the guard to open the fence, then fails with `Unguarded`. Details of every failure contain `wrote`:
   * whether a mutation was started before it.
   */
  executeStep(input: PlannedStepInput): Promise<DecidedReport>;
  /** Returns when `goal` is reached, or after `atMostMs`. Retryable, read only except for the fence's mode. */
  awaitChange(input: AwaitChangeInput): Promise<RunChange>;
  /** Records in the fence that no write is imminent: a run that waits for people is guarded less often. Idempotent. */
  restFence(input: RestInput): Promise<void>;
  /**
   * Watches gates until they passed for `soakMs` or one failed. When cancelled it returns its progress. Retryable, read only
   * except for the fence's mode.
   */
  soak(input: SoakInput): Promise<SoakReport>;
  /** Ends the run: closes open evidence, releases the fence, exports. Idempotent. */
  closeRun(input: CloseRunInput): Promise<CloseReport>;
}

/** On its own task queue: one for each run, for as long as the run lives. */
export interface GuardActivities {
  /** Watches Leases, managers and nodes, renews the fence, writes a breach into the fence. Ends only by cancellation or when the fence is lost. */
  guardCluster(input: GuardInput): Promise<GuardReport>;
}

/** Names a cluster; the worker resolves it in its own inventory, so no credential enters a history. */
export interface ClusterRef {
  readonly name: string;
  /** UID of namespace kube-system as planned; a different one behind the same URL is `ClusterMismatch`. */
  readonly uid: string;
}

/** Input of every activity of a run. */
export interface RunContext {
  readonly cluster: ClusterRef;
  readonly workflowId: string;
  readonly runId: string;
  readonly actor: string;
  readonly reason: string;
  readonly planDigest: string;
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
  /** What the run knows of its evidence: without it nothing is written. Absent before its first record, and from an older build. */
  readonly evidence?: ChainHead;
  /** What allows the run; a worker with an access policy carries out none without it. */
  readonly authority?: RunAuthority;
}

/** The statements that a run rests on, as they were signed. Workers check them beside their credentials. */
export interface RunAuthority {
  /** Asks for the run, or for the fleet that it is a member of. */
  readonly start: Envelope;
  /** Commands that its direction rests on, oldest first. */
  readonly commands: readonly Envelope[];
  /** That the fleet's statement covers this cluster; absent for a run of its own. */
  readonly member?: CarriedMember;
}

export interface CarriedMember extends CoveredMember {
  /** Of its wave, as people signed them before the run was started. */
  readonly approvals?: readonly Envelope[];
}

export interface AdmitInput extends RunContext {
  readonly command: OperatorCommand;
}

/** `note`: what people must know of it, for its reason; empty in general. */
export type Admission =
  | {
      readonly kind: 'admitted';
      readonly principal: string;
      readonly note: string;
      /** Of an approval of a run: how many people must give it; 1 when absent. */
      readonly quorum?: number;
      /** It counts as a word of automation, whatever name it bears: by the role of who signed it. */
      readonly byAutomation?: true;
    }
  | { readonly kind: 'refused'; readonly why: string };

export interface Snapshot extends RememberedObservation {
  readonly observation: ClusterObservation;
  readonly firstSeen: readonly LeaseFirstSeen[];
}

export interface TakeFenceInput extends RunContext {
  readonly nonce: string;
  /** The breaches recorded in the fence are acknowledged, by a person or by a policy that rolls back. */
  readonly acknowledge: boolean;
  readonly takeOver?: { readonly reason: string };
}

export interface CheckInput extends ObserveInput {
  readonly materials: Materials;
  /**
   * Another run may be writing until it is displaced: what depends on the cluster's state is checked under the fence.
   */
  readonly early: boolean;
}

export interface FenceGrant {
  readonly epoch: number;
  /** Run that was displaced by a take-over; empty otherwise. */
  readonly displaced: string;
  /** Of the run's evidence, with the fence's own record. Absent from an older worker. */
  readonly evidence?: ChainHead;
}

/** An observation with its decision; audits recompute the decision from it. */
export interface DecidedObservation extends ObservationResult {
  readonly observation: PackedObservation;
  /** Digest of the code that decided (`codeDigest`): with the same code an audit must reach the same decision. */
  readonly decidedBy: string;
}

/** With the id of the run's last observation. */
export interface ObserveInput extends RunContext, RememberedObservation {
  /** 0 before the first fence. */
  readonly epoch: number;
  readonly decide: DecisionRequest;
  readonly firstSeen: readonly LeaseFirstSeen[];
}

export interface RestInput extends RunContext {
  readonly epoch: number;
}

/** Text that steps write, by role; kept out of observations. */
export interface Materials {
  /** CCM static pod manifest, or DaemonSet, as YAML. */
  readonly ccmManifest: string;
}

export interface StepInput extends RunContext, RememberedObservation {
  readonly epoch: number;
  readonly step: Step;
  readonly materials: Materials;
  readonly firstSeen: readonly LeaseFirstSeen[];
  /** No soft gate stops it: a step of a rollback. */
  readonly passesSoft?: boolean;
  /** Soft gates that a person has skipped: they stop no step. */
  readonly waivedGates?: readonly WaivedKey[];
  /** Of the access policy that allowed it; absent where this worker has none. */
  readonly accessVersion?: number;
  /** What the step must be due for; absent where this worker has no access policy. */
  readonly decide?: DecisionRequest;
}

/** A step as the run sends it, with the decision it comes from and the input of the next one. */
export interface PlannedStepInput extends Omit<
  StepInput,
  'step' | 'passesSoft' | 'waivedGates' | 'accessVersion' | 'decide'
> {
  readonly planned: PlannedStep;
  readonly decide: DecisionRequest;
}

/** A step's result with the snapshot it ended with, inside the worker. */
export interface StepReport extends Snapshot, StepResult {}

/** The result of a step, with the next decision. */
export interface DecidedReport extends DecidedObservation, StepResult {}

export interface AwaitChangeInput extends ObserveInput {
  readonly goal: WaitGoal;
  /**
   * A change that does not let the run continue is not reported earlier: a constantly changing cluster must not fill the
   * run's history. What lets the run continue is reported at once.
   */
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

export interface SoakInput extends ObserveInput {
  /** 0 measures the gates once. */
  readonly soakMs: number;
  /** Progress of an earlier attempt; null to start from zero. */
  readonly progress: SoakProgress | null;
}

export interface SoakReport extends DecidedObservation, SoakResult {}

export interface CloseRunInput extends RunContext {
  readonly epoch: number;
  readonly outcome: string;
}

export interface CloseReport {
  readonly evidenceRecords: number;
  readonly evidenceHead: string;
}

export interface GuardInput extends RunContext {
  readonly nonce: string;
  /**
   * What an earlier guard of the same run returned; null for the first one. Heartbeat details of an earlier attempt
   * take precedence.
   */
  readonly memory: GuardMemory | null;
  /**
   * The run may have written: what a guard without memory sees then is not how things were before. Absent before the first step,
   * and from an older build.
   */
  readonly mayHaveWritten?: { readonly sinceMs: number | null };
}

/** What the guard remembers: its heartbeat details, from which the next attempt continues. At most 16 KiB as JSON. */
export interface GuardMemory {
  readonly guard: 1;
  readonly observations: number;
  readonly breaches: readonly GateVerdict[];
  readonly trace: OwnershipTrace;
  readonly firstSeen: readonly LeaseFirstSeen[];
  /** By node: whether it answered at the last observation. Empty before the first. */
  readonly reachable: Readonly<Record<string, boolean>>;
  /** Whether the last observation succeeded: false while the API server does not answer. */
  readonly apiReachable: boolean;
  /**
   * Set when observations have failed since the last successful one; null while they succeed. Absent from an older
   * worker's memory.
   */
  readonly outage?: GuardOutage | null;
  /** What the gates on metrics were measured by; absent where none is judged, and from an older worker's memory. */
  readonly gates?: GateBook;
  /** The same of gates on objects. */
  readonly objects?: ObjectWatch;
  /** The same of the operator's own gates. */
  readonly own?: OwnBook;
}

/** Since when a guard cannot observe its cluster, and why: `status` shows this instead of outdated facts. */
export interface GuardOutage {
  /** When the first observation failed, epoch ms on the worker's clock. */
  readonly sinceMs: number;
  readonly attempts: number;
  /** Of the last try. */
  readonly error: string;
}

/** Figures cover the whole run, including those of `GuardInput.memory`. */
export interface GuardReport {
  readonly observations: number;
  readonly breaches: readonly GateVerdict[];
  /** Seconds per controller, from the guard's own observations. */
  readonly ownership: OwnershipFigures;
  readonly ended: 'cancelled' | 'fenceLost';
  /** For the next guard of the same run. */
  readonly memory: GuardMemory;
}
