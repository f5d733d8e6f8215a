import { COMPONENTS } from '../../domain/managers/controller-names.js';
import type { FindingCode } from '../../domain/findings/catalogue.js';
import { durationMs } from '../duration.js';
import type { WrittenPolicy } from '../kinds/migration-policy.js';

type Spec = WrittenPolicy['spec'];

/** A rule that no schema can express because it joins two settings. `check` returns the problem, or null. */
export interface PolicyRule {
  readonly path: readonly string[];
  readonly code: FindingCode;
  readonly check: (spec: Spec) => string | null;
}

/** Polling candidates wait up to 2.2 retry periods: JitterFactor 1.2 of client-go. */
const WORST_POLLS = 2.2;

function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

function coversExpiry(written: string, { kcm: { leaseTimings } }: Spec): string | null {
  const { leaseDuration, retryPeriod } = leaseTimings;
  const longestMs = durationMs(leaseDuration) + WORST_POLLS * durationMs(retryPeriod);
  if (durationMs(written) >= longestMs) return null;
  return `shorter than one expiry of a Lease (${String(longestMs / 1000)}s with these timings)`;
}

function shorter(less: string, more: string, complaint: string): string | null {
  return durationMs(less) < durationMs(more) ? null : complaint;
}

function electable(timings: Spec['kcm']['leaseTimings']): string | null {
  const { leaseDuration, renewDeadline, retryPeriod } = timings;
  if (durationMs(leaseDuration) <= durationMs(renewDeadline)) {
    return `leaseDuration ${leaseDuration} must be longer than renewDeadline ${renewDeadline}`;
  }
  if (durationMs(renewDeadline) <= 1.2 * durationMs(retryPeriod)) {
    return `renewDeadline ${renewDeadline} must be longer than 1.2 × retryPeriod ${retryPeriod}`;
  }
  return null;
}

/** What an earlier attempt left is deleted, then an address, a changed port and the deletion are awaited. */
const PROBE_WAITS = 4;

export const POLICY_RULES: readonly PolicyRule[] = [
  {
    path: ['spec', 'target', 'version'],
    code: 'CCM5010',
    check: ({ source, target }) =>
      minorOf(target.version) < minorOf(source.version)
        ? `older than source.version ${source.version}`
        : null,
  },
  {
    // Version skew policy: a control plane moves one minor at a time.
    path: ['spec', 'target', 'version'],
    code: 'CCM5010',
    check: ({ source, target }) =>
      minorOf(target.version) > minorOf(source.version) + 1
        ? `more than one minor above source.version ${source.version}`
        : null,
  },
  {
    path: ['spec', 'source', 'cloudProvider'],
    code: 'CCM5010',
    check: ({ source }) =>
      source.cloudProvider === 'external'
        ? 'must be the current in-tree provider; "external" is what the target runs'
        : null,
  },
  {
    // Legacy provider names are an error from 1.31 on: kubernetes/kubernetes#128197.
    path: ['spec', 'source', 'version'],
    code: 'CCM5010',
    check: ({ source }) =>
      minorOf(source.version) > 30
        ? 'kube-controller-managers above 1.30 have no in-tree cloud controllers'
        : null,
  },
  {
    path: ['spec', 'ccm', 'leaderMigration'],
    code: 'CCM5010',
    check: ({ strategy, ccm }) =>
      strategy === 'leaderMigration' && ccm.leaderMigration === 'absent'
        ? 'strategy leaderMigration needs a CCM that implements it; use strategy: gap'
        : null,
  },
  {
    path: ['spec', 'nodes', 'forward'],
    code: 'CCM5010',
    check: ({ strategy, nodes }) =>
      strategy === 'gap' && nodes.forward === 'replace'
        ? 'strategy gap changes nodes in place; set nodes.forward: inPlace'
        : null,
  },
  {
    path: ['spec', 'disableLeaderMigration'],
    code: 'CCM5010',
    check: ({ strategy, disableLeaderMigration }) =>
      strategy === 'gap' && disableLeaderMigration !== 'never'
        ? 'strategy gap runs without Leader Migration; remove this'
        : null,
  },
  {
    path: ['spec', 'lock', 'name'],
    code: 'CCM5010',
    check: ({ lock }) =>
      Object.values(COMPONENTS).includes(lock.name)
        ? `"${lock.name}" is a manager's own lock; the migration lock must be another Lease`
        : null,
  },
  {
    path: ['spec', 'lock', 'controllers'],
    code: 'CCM5009',
    check: ({ lock }) =>
      new Set(lock.controllers).size < lock.controllers.length ? 'names a controller twice' : null,
  },
  {
    path: ['spec', 'kcm', 'leaseTimings'],
    code: 'CCM5007',
    check: ({ kcm }) => electable(kcm.leaseTimings),
  },
  {
    path: ['spec', 'ccm', 'leaseTimings'],
    code: 'CCM5007',
    check: ({ ccm }) => electable(ccm.leaseTimings),
  },
  {
    path: ['spec', 'ccm', 'leaseTimings'],
    code: 'CCM5007',
    check: ({ kcm, ccm }) =>
      durationMs(kcm.leaseTimings.leaseDuration) === durationMs(ccm.leaseTimings.leaseDuration) &&
      durationMs(kcm.leaseTimings.renewDeadline) === durationMs(ccm.leaseTimings.renewDeadline)
        ? null
        : 'leaseDuration and renewDeadline must equal those of kcm.leaseTimings',
  },
  {
    path: ['spec', 'gates', 'orphanBudget'],
    code: 'CCM5010',
    check: (spec) => coversExpiry(spec.gates.orphanBudget, spec),
  },
  {
    path: ['spec', 'gates', 'probes', 'balancer'],
    code: 'CCM5010',
    check: ({ gates: { probes }, timings }) =>
      probes.balancer === 'off' ||
      PROBE_WAITS * durationMs(probes.balancer.within) < durationMs(timings.step)
        ? null
        : `within must be less than a quarter of timings.step (${timings.step}): a probe waits up to four times`,
  },
  {
    path: ['spec', 'timings', 'election'],
    code: 'CCM5010',
    check: (spec) => coversExpiry(spec.timings.election, spec),
  },
  {
    path: ['spec', 'timings', 'poll'],
    code: 'CCM5010',
    check: ({ timings }) =>
      shorter(timings.poll, timings.effect, `must be shorter than effect ${timings.effect}`),
  },
  {
    path: ['spec', 'timings', 'effect'],
    code: 'CCM5010',
    check: ({ timings }) =>
      shorter(timings.effect, timings.step, `must be shorter than step ${timings.step}`),
  },
  {
    path: ['spec', 'timings', 'heartbeat'],
    code: 'CCM5010',
    check: ({ timings }) =>
      shorter(timings.heartbeat, timings.step, `must be shorter than step ${timings.step}`),
  },
];
