import { describe, expect, it } from '@jest/globals';
import { isSoftCode, judgesSoftGates, softCode } from '../../../domain/gates/soft-codes.js';
import type { MetricGatePolicy, OwnGate } from '../../../domain/policy.js';

const OFF: MetricGatePolicy = {
  ...{ catalogue: 'off', except: [], everyMs: 15_000, unmeasuredMs: 120_000 },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

const OWN: OwnGate = { name: 'lag', kind: 'gauge', promql: 'lag', limit: { above: 1 } };

describe('codes of soft gates', () => {
  it.each([
    ['pass', 'CCM3104'],
    ['fail', 'CCM3104'],
    ['inconclusive', 'CCM3102'],
    ['error', 'CCM3103'],
    ['noData', 'CCM3103'],
  ] as const)('%s is %s: only what was measured may turn a run', (verdict, code) => {
    expect(softCode(verdict, 'CCM3104')).toBe(code);
  });

  it.each([
    ['CCM3101', true],
    ['CCM3105', true],
    ['CCM3001', false],
    ['CCM3014', false],
  ])('%s is one: %s', (code, soft) => {
    expect(isSoftCode(code)).toBe(soft);
  });

  it.each([
    ['no policy of them', undefined, false],
    ['all off', OFF, false],
    ['objects off', { ...OFF, objects: 'off' as const }, false],
    ['pages', { ...OFF, catalogue: 'nodes' as const }, true],
    ['objects', { ...OFF, objects: 'watch' as const }, true],
    ["the operator's own", { ...OFF, own: [OWN] }, true],
    ['an empty list of them', { ...OFF, own: [] }, false],
  ])('judged by %s', (_name, policy, judges) => {
    expect(judgesSoftGates(policy)).toBe(judges);
  });
});
