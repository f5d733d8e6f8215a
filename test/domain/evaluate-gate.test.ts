import { describe, expect, it } from '@jest/globals';
import { evaluateGate, type GateRule } from '../../domain/evaluate-gate.js';
import { worst, type Measurement, type Verdict } from '../../domain/gates/verdicts.js';

const RULE: GateRule = { indicator: 'errors', atLeast: 0, atMost: 1, samples: 2, freshMs: 1000 };

function sample(value: number | null, changes: Partial<Measurement> = {}): Measurement {
  return { indicator: 'errors', value, ageMs: 10, source: 'test', ...changes };
}

describe('evaluateGate', () => {
  it.each<{ name: string; measurements: readonly Measurement[]; verdict: Verdict }>([
    { name: 'enough good samples', measurements: [sample(0), sample(1)], verdict: 'pass' },
    { name: 'one good sample of two', measurements: [sample(0)], verdict: 'inconclusive' },
    {
      name: 'one bad sample among good ones',
      measurements: [sample(0), sample(2), sample(0)],
      verdict: 'fail',
    },
    { name: 'below the lower bound', measurements: [sample(-1), sample(0)], verdict: 'fail' },
    { name: 'no sample', measurements: [], verdict: 'noData' },
    {
      name: 'only old samples',
      measurements: [sample(0, { ageMs: 5000 }), sample(0, { ageMs: 5000 })],
      verdict: 'noData',
    },
    {
      name: 'a sample from the future',
      measurements: [sample(0, { ageMs: -1 })],
      verdict: 'noData',
    },
    {
      name: 'only samples of something else',
      measurements: [sample(0, { indicator: 'latency' })],
      verdict: 'noData',
    },
    { name: 'NaN', measurements: [sample(Number.NaN), sample(0), sample(0)], verdict: 'error' },
    {
      name: 'infinity',
      measurements: [sample(Number.POSITIVE_INFINITY), sample(0)],
      verdict: 'error',
    },
    {
      name: 'a missing value',
      measurements: [sample(null), sample(0), sample(0)],
      verdict: 'error',
    },
    {
      name: 'a value that came with an error',
      measurements: [sample(0, { error: 'scrape failed' }), sample(0), sample(0)],
      verdict: 'error',
    },
  ])('$name: $verdict', ({ measurements, verdict }) => {
    expect(evaluateGate(RULE, measurements)).toBe(verdict);
  });

  it('a gate has no bound where none is given', () => {
    const rule = { ...RULE, atLeast: null, atMost: null };
    expect(evaluateGate(rule, [sample(-1e9), sample(1e9)])).toBe('pass');
  });
});

describe('worst', () => {
  it.each<{ verdicts: readonly Verdict[]; expected: Verdict }>([
    { verdicts: [], expected: 'noData' },
    { verdicts: ['pass', 'pass'], expected: 'pass' },
    { verdicts: ['pass', 'inconclusive'], expected: 'inconclusive' },
    { verdicts: ['noData', 'inconclusive'], expected: 'noData' },
    { verdicts: ['error', 'noData'], expected: 'error' },
    { verdicts: ['error', 'fail', 'pass'], expected: 'fail' },
  ])('the worst of $verdicts is $expected', ({ verdicts, expected }) => {
    expect(worst(verdicts)).toBe(expected);
  });
});
