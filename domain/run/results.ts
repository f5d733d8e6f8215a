import type { RunDecision } from '../decision/run-decision.js';
import type { ChainHead } from '../evidence/chain.js';
import type { Finding } from '../findings/finding.js';
import type { GateVerdict } from '../gates/verdicts.js';
import type { ProbeTimes } from '../probes/balancer-probe.js';
import type { Inventory } from '../observation/observation.js';

/** What activities return to a run: plain JSON, the one definition that activities, workflows and the loop share. */

/** When a Lease version was first seen, on the worker's clock; connects the observations of two activities. */
export interface LeaseFirstSeen {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly firstSeenAtMs: number;
}

/** The worker that made an observation remembers what seldom changes of it, by this id; absent from an older worker. */
export interface RememberedObservation {
  readonly observationId?: string | undefined;
}

/** What was decided from an observation, and what the next one needs of it. */
export interface ObservationResult extends RememberedObservation {
  readonly decision: RunDecision;
  readonly firstSeen: readonly LeaseFirstSeen[];
  /** Whether the guard had renewed the fence in the current epoch when this was observed. */
  readonly guarded: boolean;
}

/** What a run keeps of an observation: never the observation itself. */
export interface RunObservation extends ObservationResult {
  readonly inventory: Inventory;
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

export interface StepResult {
  readonly verdicts: readonly GateVerdict[];
  readonly summary: StepSummary;
  /** Of the run's evidence after it. Absent from an older worker. */
  readonly evidence?: ChainHead;
  /** Of a step that probed the cluster. */
  readonly probe?: ProbeTimes;
}

/** Progress of a soak; the next attempt continues from it. Times in ms. */
export interface SoakProgress {
  /** Time watched with every gate measured; a transient error stops this clock but does not reset it. */
  readonly soakedMs: number;
  readonly inventory: Inventory;
  readonly orphanedMs: number;
}

export interface SoakResult {
  /** The last verdict of each gate, or the first ones that failed. */
  readonly verdicts: readonly GateVerdict[];
  /** False when it was interrupted before its time was up and no gate had failed. */
  readonly complete: boolean;
  readonly progress: SoakProgress;
}

/** Result of checking a plan. */
export interface RunCheck {
  /** Of policy, materials and the observed cluster, for the current target; null when the cluster was not observed. */
  readonly planDigest: string | null;
  /** What keeps a run from starting this direction after it was reversed; repairs continue. */
  readonly objections: readonly Finding[];
}

/** How a wait ended. */
export interface RunChange extends Omit<ObservationResult, 'guarded'> {
  readonly ended: 'changed' | 'healed' | 'guarded' | 'timeUp';
}
