import { describe, expect, it } from '@jest/globals';
import { probeVerdict } from '../../../domain/gates/probe-verdict.js';
import { type ProbeTimes, probeText } from '../../../domain/probes/balancer-probe.js';

const WITHIN = { withinMs: 180_000 };
const WORKED: ProbeTimes = { addressMs: 2100, changeMs: 500, goneMs: 61_000 };
const NO_ADDRESS: ProbeTimes = { addressMs: null, changeMs: null, goneMs: 40 };
const NOTHING: ProbeTimes = { addressMs: null, changeMs: null, goneMs: null };
const STAYS: ProbeTimes = { addressMs: 2100, changeMs: 500, goneMs: null };
const NO_CHANGE: ProbeTimes = { addressMs: 2100, changeMs: null, goneMs: 40 };

describe('the verdict of a probe', () => {
  it.each([
    [
      'that worked',
      WORKED,
      '',
      'pass',
      'it worked: address after 2.1 s, port changed after 0.5 s, deleted after 61 s',
    ],
    [
      'without an address',
      NO_ADDRESS,
      '',
      'fail',
      'a new Service got no load balancer within 180 s',
    ],
    [
      'that an Event explains',
      NO_ADDRESS,
      'SyncLoadBalancerFailed quota',
      'fail',
      'a new Service got no load balancer within 180 s: SyncLoadBalancerFailed quota',
    ],
    [
      'whose port did not change',
      NO_CHANGE,
      '',
      'fail',
      'its load balancer did not follow a change of the port within 180 s',
    ],
    [
      'whose owner does nothing',
      NOTHING,
      '',
      'fail',
      'a new Service got no load balancer, and was not deleted within 180 s',
    ],
    ['that stays', STAYS, '', 'fail', 'its load balancer was not deleted within 180 s'],
  ] as const)('%s', (_what, times, complaint, verdict, detail) => {
    expect(probeVerdict('after', { times, complaint }, WITHIN)).toEqual({
      ...{ gate: 'balancerProbe', hardness: 'soft', code: 'CCM3106', verdict, detail },
    });
  });

  it('before the first change has a code of its own', () => {
    const { code } = probeVerdict('before', { times: NO_ADDRESS, complaint: '' }, WITHIN);
    expect(code).toBe('CCM3107');
  });
});

describe('the times of a probe', () => {
  it('stand beside those of before, where both were seen', () => {
    const earlier: ProbeTimes = { addressMs: 1900, changeMs: null, goneMs: 60_000 };
    expect(probeText(WORKED, earlier)).toBe(
      'address after 2.1 s (before: 1.9 s), port changed after 0.5 s, deleted after 61 s (before: 60 s)',
    );
    expect(probeText(NO_ADDRESS, earlier)).toBe('deleted after 0 s (before: 60 s)');
  });
});
