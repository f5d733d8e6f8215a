import type { GateVerdict } from '../gates/verdicts.js';
import type { BalancerProbe } from '../policy.js';

/** Operators make it; nothing but what probes make belongs there, so no gate and no inventory counts its Services. */
export const PROBE_NAMESPACE = 'ccm-migrate-probe';

/** The one Service that a probe makes, changes and deletes. */
export const PROBE_SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  namespace: PROBE_NAMESPACE,
  name: 'balancer',
} as const;

/** Before the first change of a run, or once the target owns the cloud controllers. */
export type ProbeMoment = 'before' | 'after';

/** How long each effect of a probe took, in ms; null for one that was not seen, or not tried after such a one. */
export interface ProbeTimes {
  readonly addressMs: number | null;
  readonly changeMs: number | null;
  readonly goneMs: number;
}

/** What a probe saw. `complaint`: the latest Warning Event about its Service, empty without one. */
export interface ProbeFinding {
  readonly times: ProbeTimes;
  readonly complaint: string;
}

/** A failure before the first change is no harm of the migration: it holds and never turns a run. */
export const PROBE_CODES: Readonly<Record<ProbeMoment, string>> = {
  before: 'CCM3107',
  after: 'CCM3106',
};

/** The verdict of a probe that ended and left nothing. */
export function probeVerdict(
  moment: ProbeMoment,
  finding: ProbeFinding,
  { withinMs }: Pick<BalancerProbe, 'withinMs'>,
): GateVerdict {
  const failed = missing(finding.times);
  const because = finding.complaint === '' ? '' : `: ${finding.complaint}`;
  return {
    gate: 'balancerProbe',
    hardness: 'soft',
    verdict: failed === null ? 'pass' : 'fail',
    detail:
      failed === null
        ? `it worked: ${probeText(finding.times)}`
        : `${failed} within ${seconds(withinMs)}${because}`,
    code: PROBE_CODES[moment],
  };
}

function missing({ addressMs, changeMs }: ProbeTimes): string | null {
  if (addressMs === null) return 'a new Service got no load balancer';
  return changeMs === null ? 'its load balancer did not follow a change of the port' : null;
}

/** For people; `earlier`: of the probe before the first change. */
export function probeText(times: ProbeTimes, earlier: ProbeTimes | null = null): string {
  const rows = [
    ['address after', times.addressMs, earlier?.addressMs],
    ['port changed after', times.changeMs, earlier?.changeMs],
    ['deleted after', times.goneMs, earlier?.goneMs],
  ] as const;
  return rows
    .flatMap(([what, now, then = null]) => {
      if (now === null) return [];
      return [`${what} ${seconds(now)}${then === null ? '' : ` (before: ${seconds(then)})`}`];
    })
    .join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
}
