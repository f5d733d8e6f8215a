import type { Target } from '../vocabulary.js';

/** What happens to a cluster that cannot be started now: left out, tried again later, or counted as failed. */
export type StartPolicy = 'skip' | 'wait' | 'fail';

/** Everything that limits how a fleet moves, normalised: percentages are resolved and defaults written out. */
export interface RolloutPolicy {
  /** W: clusters that change at the same time. */
  readonly inFlight: number;
  /** E: clusters that change, soak or are held. */
  readonly unproven: number;
  /** For each value of a label, how many of its clusters change at the same time. Other fleets' open runs count. */
  readonly caps: Readonly<Record<string, number>>;
  /** F: how many clusters may burn. `inFlight` reserves for changing clusters only, `untilProven` also while they soak. */
  readonly budget: { readonly clusters: number; readonly counts: 'inFlight' | 'untilProven' };
  /** At first so many change at a time, and one more for each that passed. */
  readonly slowStart: number;
  /** So many clusters of a group with one cause, at such a share of the group, stop the group. */
  readonly correlated: { readonly failures: number; readonly sharePercent: number };
  /** How long a hold that heals keeps its slot. */
  readonly stalledForMs: number;
  readonly onFailure: 'hold' | 'rollBack';
  readonly unreachable: StartPolicy;
  readonly busy: StartPolicy;
  readonly drifted: StartPolicy;
  /** Pause before a start that found no worker, no cluster or another run is tried again. */
  readonly retryAfterMs: number;
  readonly approvalExpiryMs: number;
  readonly startAtMs: number | null;
  readonly deadlineMs: number | null;
}

export interface WavePlan {
  readonly name: string;
  /** Null: every cluster must have ended. Otherwise so many must be proven, within this time. */
  readonly done: { readonly provenPercent: number; readonly withinMs: number } | null;
  /** Longest soak of one cluster before a person must judge it; null for no limit. */
  readonly soakLimitMs: number | null;
  /** How many people must approve before its first start and after its last end. */
  readonly approvals: { readonly before: number; readonly after: number };
  /** Who may approve; null for anyone but the requester. */
  readonly approvers: readonly string[] | null;
  /** Whether clusters start only in openings, which are computed outside from windows and exclusion dates. */
  readonly scheduled: boolean;
  /** Whether each canary is migrated, rolled back and migrated again before it counts as proven. */
  readonly rehearseRollback: boolean;
}

export interface RowPlan {
  readonly name: string;
  readonly wave: number;
  readonly canary: boolean;
  /** Labels that caps and correlated stops know, as `label=value`. */
  readonly groups: readonly string[];
  /** Expected time of change, without the soak. */
  readonly expectedMs: number;
}

export interface FleetPlan {
  /** First run id of the fleet's workflow: reports to an earlier fleet of the same name are not for this one. */
  readonly fleetRun: string;
  readonly requester: string;
  readonly planDigest: string;
  readonly revision: number;
  readonly policy: RolloutPolicy;
  readonly waves: readonly WavePlan[];
  readonly rows: readonly RowPlan[];
}

/** Clusters that a budget in percent allows: rounded down, and at least one. */
export function budgetOf(percent: number, clusters: number): number {
  return Math.max(1, Math.floor((clusters * percent) / 100));
}

/** The side at which a direction ends. */
export const FORWARD: Target = 'ccm';
export const BACK: Target = 'kcm';
