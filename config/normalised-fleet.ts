import type { RolloutPolicy, RowPlan, WavePlan } from '../domain/fleet/fleet-plan.js';
import { budgetOf } from '../domain/fleet/fleet-plan.js';
import { groupsOf } from './cluster-groups.js';
import { durationMs } from './duration.js';
import { expectedChangeMs } from './expected-run.js';
import type { MaintenanceWindow } from './kinds/maintenance-window.js';
import type { Rollout } from './kinds/rollout.js';
import type { WaveSpec } from './kinds/wave.js';
import { percentOf } from './percent.js';
import type { JoinedFleet } from './rules/fleet-rules.js';
import type { JoinedWave } from './rules/wave-rules.js';

/** A wave as written, with all defaults. */
export interface NormalisedWave {
  readonly plan: WavePlan;
  /** Names, in the order of the inventories. */
  readonly clusters: readonly string[];
  readonly canaries: readonly string[];
  readonly windows: readonly MaintenanceWindow[];
  /** As YYYY-MM-DD. */
  readonly excludedDates: readonly string[];
}

export function normalisedWave({ written, members, canaries }: JoinedWave): NormalisedWave {
  const { windows, excludedDates } = written;
  return {
    plan: wavePlan(written),
    clusters: members.map(({ name }) => name),
    canaries: canaries.map(({ name }) => name),
    windows,
    excludedDates,
  };
}

function wavePlan({
  name,
  done,
  soakLimit,
  approvals,
  windows,
  excludedDates,
  canary,
}: WaveSpec): WavePlan {
  return {
    name,
    done:
      done === undefined
        ? null
        : { provenPercent: percentOf(done.proven), withinMs: durationMs(done.within) },
    soakLimitMs: soakLimit === undefined ? null : durationMs(soakLimit),
    ...approvalsOf(approvals),
    scheduled: windows.length > 0 || excludedDates.length > 0,
    rehearseRollback: canary?.rehearseRollback ?? false,
  };
}

function approvalsOf({
  before = 'notRequired',
  after = 'notRequired',
  quorum = 1,
  approvers,
}: Partial<NonNullable<WaveSpec['approvals']>> = {}): Pick<WavePlan, 'approvals' | 'approvers'> {
  return {
    approvals: {
      before: before === 'required' ? quorum : 0,
      after: after === 'required' ? quorum : 0,
    },
    approvers: approvers ?? null,
  };
}

/** Clusters that may be unproven for each that may be in flight, where no limit is written. */
const UNPROVEN_PER_IN_FLIGHT = 4;
const BUDGET_PERCENT = 10;

/** Limits of a fleet of so many clusters. */
export function normalisedRollout(written: Rollout, clusters: number): RolloutPolicy {
  const { inFlight, unproven, caps, slowStart, correlated, onFailure } = written;
  const { unreachable, busy, drifted } = written;
  return {
    inFlight,
    unproven: unproven ?? UNPROVEN_PER_IN_FLIGHT * inFlight,
    caps,
    budget: budget(written.failureBudget, clusters),
    slowStart,
    correlated: { failures: correlated.failures, sharePercent: percentOf(correlated.share) },
    stalledForMs: durationMs(written.stalledFor),
    onFailure,
    unreachable,
    busy,
    drifted,
    retryAfterMs: durationMs(written.retryAfter),
    approvalExpiryMs: durationMs(written.approvalExpiry),
    startAtMs: instantMs(written.startAt),
    deadlineMs: instantMs(written.deadline),
  };
}

function budget(
  { clusters, percent, counts }: Rollout['failureBudget'],
  all: number,
): RolloutPolicy['budget'] {
  const share = percent === undefined ? BUDGET_PERCENT : percentOf(percent);
  return { clusters: clusters ?? budgetOf(share, all), counts };
}

function instantMs(written: string | undefined): number | null {
  return written === undefined ? null : Date.parse(written);
}

/** Each cluster as the rule of the fleet knows it before it is planned. */
export function rowsOf({ members, waves }: JoinedFleet): readonly RowPlan[] {
  const waveOf = new Map(waves.flatMap((wave, index) => wave.members.map((each) => [each, index])));
  const canaries = new Set(waves.flatMap((wave) => wave.canaries));
  const expected = waves.map(({ policy }) => expectedChangeMs(policy.content.spec));
  return members.map((member) => {
    const wave = waveOf.get(member) ?? 0;
    return {
      name: member.name,
      wave,
      canary: canaries.has(member),
      groups: groupsOf(member.labels),
      expectedMs: expected[wave] ?? 0,
    };
  });
}
