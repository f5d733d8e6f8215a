import type { GateVerdict } from '../domain/gates.js';
import type { ClusterObservation } from '../domain/observation.js';
import type { MigrationPolicy } from '../domain/policy.js';
import type { Step } from '../domain/step.js';

/** The activities as workflows see them: types only. Every value is plain JSON. */
export interface ClusterActivities {
  /**
   * Makes this run the one that may change the cluster: raises the epoch in the fence Lease.
   * Idempotent: the same run and nonce get the same epoch again.
   * Fails `AlreadyRunning` (naming the holder) when another run holds the fence and `takeOver` is absent.
   */
  takeFence(input: TakeFenceInput): Promise<FenceGrant>;
  /** Looks at the whole cluster. Read only. Waits until every Lease was seen twice. */
  observeCluster(input: ObserveInput): Promise<Look>;
  /** Carries out one step: fence, look, act, prove, look again, hard gates. */
  executeStep(input: StepInput): Promise<StepReport>;
  /** Returns when the cluster differs from `since`, or after `atMostMs`. Retryable, read only. */
  awaitChange(input: AwaitChangeInput): Promise<Look>;
  /** Samples the soft and hard gates for `soakMs`; returns the worst verdict of each gate. */
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
  /** How often the guard looks. */
  readonly guardMs: number;
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
  readonly takeOver?: { readonly reason: string };
}

export interface FenceGrant {
  readonly epoch: number;
  /** Run that was displaced by a take-over; empty otherwise. */
  readonly displaced: string;
}

export interface ObserveInput extends RunContext {
  readonly sightings: readonly LeaseSighting[];
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
  readonly since: ClusterObservation;
  /** A change is told no sooner: a cluster that changes all the time shall not fill the run's history. */
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

export interface SoakInput extends ObserveInput {
  readonly epoch: number;
  readonly soakMs: number;
}

export interface SoakReport extends Look {
  readonly verdicts: readonly GateVerdict[];
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
}

export interface GuardReport {
  readonly looks: number;
  readonly breaches: readonly GateVerdict[];
  /** Seconds per controller, from the guard's own looks. */
  readonly ownership: {
    readonly overlapSeconds: number;
    readonly orphanSeconds: number;
    /** Nobody can speak for these: who owned it could not be read. Absent in reports of older workers. */
    readonly unknownSeconds?: number;
    readonly moves: number;
  };
  readonly ended: 'cancelled' | 'fenceLost';
}
