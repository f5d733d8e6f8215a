import type { RunChange, RunCheck, SoakProgress, WaitGoal } from '../domain/advance/run-state.js';
import type { DecisionRequest, PlannedStep, RunDecision } from '../domain/decision/run-decision.js';
import type { GateVerdict } from '../domain/gates.js';
import type { Step } from '../domain/step.js';
import type { ClusterObservation } from '../domain/observation.js';
import type { PackedObservation } from '../domain/packed-observation.js';
import type { MigrationPolicy } from '../domain/policy.js';
import type { OwnershipFigures, OwnershipTrace } from '../domain/ownership-trace.js';

/** The activities as workflows see them: types only. Every value is plain JSON. */
export interface ClusterActivities {
  /**
   * Makes this run the one that may change the cluster: raises the epoch in the fence Lease.
   * Idempotent: the same run and nonce get the same epoch again. It opens nothing: that the guard alone does.
   * Fails `AlreadyRunning` (naming the holder) when another run holds the fence and `takeOver` is absent, and `FenceLost`
   * when `closeRun` has ended this run already.
   */
  takeFence(input: TakeFenceInput): Promise<FenceGrant>;
  /**
   * Checks, read only and before the first fence, what the run was given: schemas, the CCM's manifest, the plan's digest
   * against the cluster as it is, and preflight. Fails `InvalidInput`, `StalePlan` or `PreflightFailed`.
   */
  checkStart(input: CheckInput): Promise<RunCheck>;
  /**
   * Observes the whole cluster and decides what comes next. Read only. Waits until every Lease was seen twice, and where
   * a step comes next, a bounded time until the guard has renewed the fence in this epoch.
   */
  observeCluster(input: ObserveInput): Promise<DecidedLook>;
  /**
   * Carries out one step: fence, look, act, prove, look again, hard gates, and decides what comes next. Waits up to
   * `guardWaitMs` for the guard to open the fence, then fails `Unguarded`. Details of every failure say `wrote`: whether a
   * mutation was begun before it.
   */
  executeStep(input: PlannedStepInput): Promise<DecidedReport>;
  /** Returns when `goal` is reached, or after `atMostMs`. Retryable, read only but for the fence's mode. */
  awaitChange(input: AwaitChangeInput): Promise<RunChange>;
  /** Notes in the fence that nothing is about to be written: a run that waits for people is guarded at ease. Idempotent. */
  restFence(input: RestInput): Promise<void>;
  /**
   * Watches gates until they passed for `soakMs` or one failed. Cancelled, it returns how far it came.
   * Retryable, read only but for the fence's mode.
   */
  soak(input: SoakInput): Promise<SoakReport>;
  /** Ends the run: closes open evidence, lets go of the fence, exports. Idempotent. */
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
  /** UID of namespace kube-system as planned; another one behind the same URL is `ClusterMismatch`. */
  readonly uid: string;
}

/** What every activity of a run is given. */
export interface RunContext {
  readonly cluster: ClusterRef;
  readonly workflowId: string;
  readonly runId: string;
  readonly actor: string;
  readonly reason: string;
  readonly planDigest: string;
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
}

/** All waits of a run, in milliseconds, so that tests and slow clouds set their own. */
export interface RunTimings {
  /** Deadline of one API or node request. */
  readonly requestMs: number;
  /** How long a step waits for its effect before it fails `EffectNotSeen`. */
  readonly effectMs: number;
  /** How long an election may take before a step fails `EffectNotSeen`. */
  readonly electionMs: number;
  /** Poll interval while an effect is awaited. */
  readonly pollMs: number;
  /** Fence renewal while mutations may happen / in soaks and holds. */
  readonly fenceRenewMs: number;
  readonly fenceRenewIdleMs: number;
  /** How often the guard looks while mutations may happen / in soaks, holds and pauses. */
  readonly guardMs: number;
  readonly guardIdleMs: number;
  /** How long a step waits for the guard to open the fence before it fails `Unguarded`. */
  readonly guardWaitMs: number;
  /** How long the run lets what is under way come to rest. */
  readonly settleMs: number;
  /** Longest time without any owner before the guard calls it a breach. */
  readonly orphanBudgetMs: number;
  /** One wait of `awaitChange`. */
  readonly awaitChangeMs: number;
  readonly stepTimeoutMs: number;
  readonly heartbeatMs: number;
}

/** When a Lease version was first seen, on the worker's clock: what makes two looks out of two activities. */
export interface LeaseSighting {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly firstSeenAtMs: number;
}

export interface Look {
  readonly observation: ClusterObservation;
  readonly sightings: readonly LeaseSighting[];
}

export interface TakeFenceInput extends RunContext {
  readonly nonce: string;
  /** Breaches that stand in the fence are known to whoever goes on over them: a person, or policy that turns back. */
  readonly acknowledge: boolean;
  readonly takeOver?: { readonly reason: string };
}

export interface CheckInput extends ObserveInput {
  readonly materials: Materials;
  /** Another run may be at work until it is displaced: what depends on the cluster's state is checked under the fence. */
  readonly early: boolean;
}

export interface FenceGrant {
  readonly epoch: number;
  /** Run that was displaced by a take-over; empty otherwise. */
  readonly displaced: string;
}

/** An observation with what was decided from it: what audits compute the decision from again. */
export interface DecidedLook {
  readonly observation: PackedObservation;
  readonly sightings: readonly LeaseSighting[];
  readonly decision: RunDecision;
  /** Digest of the code that decided (`codeDigest`): by the same code an audit must come to the same decision. */
  readonly decidedBy: string;
  /** Whether the guard renewed the fence in this run's epoch. */
  readonly guarded: boolean;
}

export interface ObserveInput extends RunContext {
  /** 0 before the first fence. */
  readonly epoch: number;
  readonly decide: DecisionRequest;
  readonly sightings: readonly LeaseSighting[];
}

export interface RestInput extends RunContext {
  readonly epoch: number;
}

/** Text that steps write, by role; kept out of observations. */
export interface Materials {
  /** CCM static pod manifest, or DaemonSet, as YAML. */
  readonly ccmManifest: string;
}

export interface StepInput extends RunContext {
  readonly epoch: number;
  readonly step: Step;
  readonly materials: Materials;
  readonly sightings: readonly LeaseSighting[];
}

/** A step as the run sends it: with the decision that it comes from, and what the next one rests on. */
export interface PlannedStepInput extends Omit<StepInput, 'step'> {
  readonly planned: PlannedStep;
  readonly decide: DecisionRequest;
}

/** What a step brought, with what comes next. */
export interface DecidedReport extends Omit<StepReport, keyof Look>, DecidedLook {}

export interface StepReport extends Look {
  readonly verdicts: readonly GateVerdict[];
  readonly summary: StepSummary;
}

/** What people are shown of a finished step. Durations in ms. */
export interface StepSummary {
  readonly mutations: number;
  readonly requests: number;
  readonly durationMs: number;
  /** For example `process of cp-1 gone, Lease released after proof, held by cp-4 after 1.9 s`. */
  readonly detail: string;
  /** How long the migrated controllers had no owner in this step, as far as it could see. */
  readonly orphanMs: number;
}

export interface AwaitChangeInput extends ObserveInput {
  readonly goal: WaitGoal;
  /**
   * A change that lets nothing be done is reported no sooner: a cluster that changes all the time must not fill the run's
   * history. What lets the run go on is reported at once.
   */
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

export interface SoakInput extends ObserveInput {
  /** 0 measures the gates once. */
  readonly soakMs: number;
  /** How far an earlier attempt came; null to begin at zero. */
  readonly progress: SoakProgress | null;
}

export interface SoakReport extends DecidedLook {
  /** The last verdict of each gate, or the first ones that failed. */
  readonly verdicts: readonly GateVerdict[];
  readonly complete: boolean;
  readonly progress: SoakProgress;
}

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
  /** What an earlier guard of the same run returned; null for the first one. Heartbeat details of an attempt before win. */
  readonly memory: GuardMemory | null;
}

/** What the guard remembers: its heartbeat details, so that the next attempt goes on with it. At most 16 KiB as JSON. */
export interface GuardMemory {
  readonly guard: 1;
  readonly looks: number;
  readonly breaches: readonly GateVerdict[];
  readonly trace: OwnershipTrace;
  readonly sightings: readonly LeaseSighting[];
  /** By node: whether it answered at the last observation. Empty before the first. */
  readonly reachable: Readonly<Record<string, boolean>>;
  /** Whether the last observation came about: false while the API server does not answer. */
  readonly apiReachable: boolean;
  /** Since the last observation that came about none did; null while they do. Absent from an older worker's memory. */
  readonly outage?: GuardOutage | null;
}

/** How long a guard has not seen its cluster, and why: what `status` says instead of what was true before. */
export interface GuardOutage {
  /** When the first look failed, epoch ms on the worker's clock. */
  readonly sinceMs: number;
  readonly tries: number;
  /** Of the last try. */
  readonly error: string;
}

/** Figures are of the whole run: those of `GuardInput.memory` are in them. */
export interface GuardReport {
  readonly looks: number;
  readonly breaches: readonly GateVerdict[];
  /** Seconds per controller, from the guard's own looks. */
  readonly ownership: OwnershipFigures;
  readonly ended: 'cancelled' | 'fenceLost';
  /** For the next guard of the same run. */
  readonly memory: GuardMemory;
}
