import {
  probeText,
  type ProbeMoment,
  type ProbeTimes,
  secondsText,
} from '../probes/balancer-probe.js';
import type { BalancerProbe } from '../policy.js';
import type { GateVerdict } from './verdicts.js';

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

/** The verdict of a probe that ended. */
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
        : `${failed} within ${secondsText(withinMs)}${because}`,
    code: PROBE_CODES[moment],
  };
}

function missing({ addressMs, changeMs, goneMs }: ProbeTimes): string | null {
  const waits = goneMs === null ? ', and was not deleted' : '';
  if (addressMs === null) return `a new Service got no load balancer${waits}`;
  if (changeMs === null) return `its load balancer did not follow a change of the port${waits}`;
  return goneMs === null ? 'its load balancer was not deleted' : null;
}
