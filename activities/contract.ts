import type { RunChange, RunCheck, SoakProgress, WaitGoal } from '../domain/run/run-state.js';
import type { DecisionRequest, PlannedStep, RunDecision } from '../domain/decision/run-decision.js';
import type { GateVerdict } from '../domain/gates/verdicts.js';
import type { Step } from '../domain/decision/step.js';
import type { ClusterObservation } from '../domain/observation/observation.js';
import type { PackedObservation } from '../domain/observation/packed-observation.js';
import type { MigrationPolicy } from '../domain/policy.js';
import type { OwnershipFigures, OwnershipTrace } from '../domain/ownership/ownership-trace.js';

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
  /** How often the guard observes while mutations may happen / in soaks, holds and pauses. */
  readonly guardMs: number;
  readonly guardIdleMs: number;
  /** How long a step waits for the guard to open the fence before it fails `Unguarded`. */
  readonly guardWaitMs: number;
  /** How long the run lets changes in progress settle. */
  readonly settleMs: number;
  /** Longest time without any owner before the guard calls it a breach. */
  readonly orphanBudgetMs: number;
  /** One wait of `awaitChange`. */
  readonly awaitChangeMs: number;
  readonly stepTimeoutMs: number;
  readonly heartbeatMs: number;
}

/** When a Lease version was first seen, on the worker's clock; connects the observations of two activities. */
export interface LeaseFirstSeen {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly firstSeenAtMs: number;
}

export interface Snapshot {
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
}

/** An observation with its decision; audits recompute the decision from it. */
export interface DecidedObservation {
  readonly observation: PackedObservation;
  readonly firstSeen: readonly LeaseFirstSeen[];
  readonly decision: RunDecision;
  /** Digest of the code that decided (`codeDigest`): with the same code an audit must reach the same decision. */
  readonly decidedBy: string;
  /** Whether the guard renewed the fence in this run's epoch. */
  readonly guarded: boolean;
}

export interface ObserveInput extends RunContext {
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

export interface StepInput extends RunContext {
  readonly epoch: number;
  readonly step: Step;
  readonly materials: Materials;
  readonly firstSeen: readonly LeaseFirstSeen[];
}

/** A step as the run sends it, with the decision it comes from and the input of the next one. */
export interface PlannedStepInput extends Omit<StepInput, 'step'> {
  readonly planned: PlannedStep;
  readonly decide: DecisionRequest;
}

/** The result of a step, with the next decision. */
export interface DecidedReport extends Omit<StepReport, keyof Snapshot>, DecidedObservation {}

export interface StepReport extends Snapshot {
  readonly verdicts: readonly GateVerdict[];
  readonly summary: StepSummary;
}

/** Summary of a finished step for people. Durations in ms. */
export interface StepSummary {
  readonly mutations: number;
  readonly requests: number;
  readonly durationMs: number;
  /** For example `process of cp-1 gone, Lease released after proof, held by cp-4 after 1.9 s`. */
  readonly detail: string;
  /** How long the migrated controllers had no owner in this step, as far as it could observe. */
  readonly orphanMs: number;
}

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

export interface SoakReport extends DecidedObservation {
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
  /**
   * What an earlier guard of the same run returned; null for the first one. Heartbeat details of an earlier attempt
   * take precedence.
   */
  readonly memory: GuardMemory | null;
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
