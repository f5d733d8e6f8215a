import type { LeaseTimings } from '../domain/observation/observation.js';
import type {
  BreachRule,
  MetricGatePolicy,
  MigrationPolicy,
  RunTimings,
} from '../domain/policy.js';
import { durationMs } from './duration.js';
import type { WrittenBreachRule } from './kinds/breach-rule.js';
import { metricGates } from './kinds/metric-gates.js';
import type { WrittenPolicy } from './kinds/migration-policy.js';

type Spec = WrittenPolicy['spec'];

/** The policy that the domain decides by: all defaults written out, deeply frozen. */
export function normalisedPolicy(spec: Spec): MigrationPolicy {
  const { strategy, nodes, lock, target, rollWorkers, waivers } = spec;
  return deepFreeze({
    strategy,
    nodes,
    lock,
    source: spec.source,
    target: { ...target, cloudProvider: 'external' },
    ccm: {
      image: spec.ccm.image,
      version: spec.ccm.version,
      deployAs: spec.ccm.deployAs,
      leaderMigration: spec.ccm.leaderMigration,
      timings: leaseTimings(spec.ccm.leaseTimings),
      accessRules: spec.ccm.accessRules.map(({ namespace = null, ...rule }) => ({
        namespace,
        ...rule,
      })),
    },
    // Without it the same as a policy of an older version, and so is its digest.
    ...(spec.clusterAccess === 'provided' ? { clusterAccess: 'provided' } : {}),
    kcmTimings: leaseTimings(spec.kcm.leaseTimings),
    etcdMemberRemoval: spec.machines.etcdMemberRemoval,
    autoRepair: spec.machines.autoRepair,
    rollWorkers,
    disableLeaderMigration: spec.disableLeaderMigration,
    leaderMigrationAfterRollback: spec.leaderMigrationAfterRollback,
    soakSeconds: durationMs(spec.soak) / 1000,
    ...breachRules(spec.gates),
    staleHolder: spec.gates.staleHolder,
    orphanBudgetMs: durationMs(spec.gates.orphanBudget),
    metricGates: normalisedGates(spec.gates.metrics),
    ...probePolicy(spec.gates.probes),
    handoverApproval: spec.approvals.handover,
    automation: spec.automation,
    waivers,
  });
}

/** A policy without rules of single phases is the same as one of an older version, and so is its digest. */
function breachRules({
  onBreach,
  onBreachByPhase,
}: Spec['gates']): Pick<MigrationPolicy, 'onBreach' | 'onBreachByPhase'> {
  const written = Object.entries(onBreachByPhase);
  if (written.length === 0) return { onBreach: ruleOf(onBreach) };
  const byPhase: Readonly<Record<string, BreachRule>> = Object.fromEntries(
    written.map(([phase, rule]) => [phase, ruleOf(rule)] as const),
  );
  return { onBreach: ruleOf(onBreach), onBreachByPhase: byPhase };
}

/** Without a probe the same as a policy of an older version, and so is its digest. */
function probePolicy({ balancer }: Spec['gates']['probes']): Pick<MigrationPolicy, 'probes'> {
  if (balancer === 'off') return {};
  const { annotations, within } = balancer;
  return { probes: { balancer: { annotations, withinMs: durationMs(within) } } };
}

function ruleOf(written: WrittenBreachRule): BreachRule {
  return typeof written === 'string'
    ? written
    : { holdThenRollBackMs: durationMs(written.holdThenRollBack) };
}

/** As a policy that says nothing of them has them judged. */
export function unstatedMetricGates(): MetricGatePolicy {
  return normalisedGates(metricGates.parse({}));
}

/** Without gates of the operator's own the same as one of an older version, and so is its digest. */
function normalisedGates({
  every,
  unmeasured,
  own,
  ...written
}: Spec['gates']['metrics']): MetricGatePolicy {
  return {
    ...written,
    ...{ everyMs: durationMs(every), unmeasuredMs: durationMs(unmeasured) },
    ...(own.length === 0 ? {} : { own }),
  };
}

export function normalisedTimings({ timings }: Spec): RunTimings {
  return Object.freeze({
    requestMs: durationMs(timings.request),
    effectMs: durationMs(timings.effect),
    electionMs: durationMs(timings.election),
    pollMs: durationMs(timings.poll),
    fenceRenewMs: durationMs(timings.fenceRenew),
    fenceRenewIdleMs: durationMs(timings.fenceRenewIdle),
    guardMs: durationMs(timings.guard),
    guardIdleMs: durationMs(timings.guardIdle),
    guardWaitMs: durationMs(timings.guardWait),
    settleMs: durationMs(timings.settle),
    awaitChangeMs: durationMs(timings.awaitChange),
    stepTimeoutMs: durationMs(timings.step),
    heartbeatMs: durationMs(timings.heartbeat),
  });
}

function leaseTimings(written: Spec['kcm']['leaseTimings']): LeaseTimings {
  return {
    leaseDurationSeconds: durationMs(written.leaseDuration) / 1000,
    renewDeadlineSeconds: durationMs(written.renewDeadline) / 1000,
    retryPeriodSeconds: durationMs(written.retryPeriod) / 1000,
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
