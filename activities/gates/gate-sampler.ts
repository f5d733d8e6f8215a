import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { RunTimings } from '../../domain/policy.js';
import type { OwnershipTrace } from '../../domain/ownership/ownership-trace.js';
import type { GuardMemory } from '../contract.js';
import type { ActivityClock, ActivityLog } from '../dependencies.js';
import type { CollectedSnapshot } from '../observe/collect-snapshot.js';
import type { ClusterMetrics, ClusterPorts } from '../ports.js';

/**
 * Samples the gates on metrics and objects beside a guard's rounds, which must not wait for a page that hangs.
 */
export interface GateSampler {
  /**
   * Told of each observation: reads what is due. Returns at once, but for the very first reading: nothing may be written before
   * gates were measured.
   */
  observed(seen: Observed): Promise<void>;
  /** Whether everything has been read at least once. */
  isRead(): boolean;
  /** A new epoch: failures that were accepted for it are watched from their beginning. */
  accepted(epoch: number, isAccepted: (gate: string) => boolean): void;
  verdicts(): readonly GateVerdict[];
  /** For the next attempt; empty where no gate is judged. */
  book(): GateMemory;
  /** Resolves when no reading is under way. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** What a guard observed in one round. */
export interface Observed extends Pick<
  CollectedSnapshot,
  'observation' | 'leases' | 'serverTimeMs'
> {
  readonly trace: OwnershipTrace;
}

export type GateMemory = Pick<GuardMemory, 'gates' | 'objects' | 'own'>;

export interface Sampling {
  readonly ports: {
    readonly processes: Pick<ClusterPorts['processes'], 'metrics'>;
    readonly api: Pick<ClusterPorts['api'], 'list'>;
    readonly metrics?: ClusterMetrics;
  };
  readonly clock: ActivityClock;
  readonly log: ActivityLog;
  readonly cluster: string;
  readonly timings: Pick<RunTimings, 'requestMs'>;
  readonly signal: AbortSignal;
  /** Called when some gate says something else than before. */
  readonly onNews: () => void;
}
