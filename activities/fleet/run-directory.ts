import type { MemberMessage, Membership } from '../../domain/run/membership.js';
import type { RunOutcome } from '../../domain/run/outcome.js';
import type { Target } from '../../domain/vocabulary.js';
import type { FleetMigrationInput } from '../fleet-input.js';
import type { RunStart } from '../run-start.js';

/**
 * The runs that the server knows, as activities of fleets see them. A server that does not answer is `Unavailable`, so that
 * the attempt is repeated; a request that it will never accept is `InvalidInput`.
 */
export interface RunDirectory {
  /** What an execution of a fleet was started with. */
  fleetInput(workflowId: string, execution: string): Promise<FleetMigrationInput>;
  /** The newest run of this id. */
  describe(workflowId: string): Promise<DescribedRun>;
  /** Where an open run goes, as the run itself says; null when it does not answer. */
  direction(workflowId: string): Promise<RunDirection | null>;
  /**
   * `taken`: another run of the cluster is open. The same request is carried out once, also when it arrives after the run that
   * it started has ended.
   */
  start(
    start: RunStart,
    requestId: string,
    groups: readonly string[],
  ): Promise<'started' | 'taken'>;
  /** `unreachable`: it may not have arrived, whatever the reason; a signal never throws, as it is one of many. */
  signal(workflowId: string, message: MemberMessage): Promise<'sent' | 'over' | 'unreachable'>;
  /**
   * Every open run, as the search index has it, which lags. A server with more of them than that is `Unavailable`: who knows some
   * of them knows nothing.
   */
  openRuns(atMost: number): Promise<readonly ListedRun[]>;
  /** Whether workers serve every queue that a run in this region needs. */
  serviceOf(region: string): Promise<RegionService>;
}

/** `full`: workers are there, and a guard would wait for one: their slots are taken, or they are too busy for more. */
export type RegionService = 'served' | 'full' | 'unserved';

export type DescribedRun =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'open' } & DescribedMemo)
  | ({
      readonly kind: 'closed';
      readonly closedAtMs: number;
      /** Null for a run that was terminated: it left none. */
      readonly outcome: RunOutcome | null;
      /** It refused its input before it began, which leaves none either. */
      readonly refusedInput?: boolean;
    } & DescribedMemo);

/** An open run in a listing. */
export interface ListedRun {
  readonly workflowId: string;
  /** The row for which it was started; null for a run of its own, also when a fleet has adopted it. */
  readonly member: Membership | null;
  /** Labels of its cluster; null for a run of an older version, which does not say them. */
  readonly groups: readonly string[] | null;
  /** It changes nothing while it soaks. */
  readonly soaks: boolean;
}

/** Whose run it is, from its memo; empty where the memo does not say. */
interface DescribedMemo {
  readonly actor: string;
  readonly reason: string;
  readonly fleet: string;
  readonly member: Membership | null;
}

export interface RunDirection {
  /** The fleet that it is a member of by now; else the one that its memo names. */
  readonly fleet: string;
  readonly target: Target;
  readonly planDigest: string;
}
