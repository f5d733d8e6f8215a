import { describe, expect, it } from '@jest/globals';
import { gateFindings, softGateOf } from '../../../domain/run/run-findings.js';

describe('the soft gate that a finding is about', () => {
  it('is read from the subject of a finding of a gate', () => {
    const verdict = { gate: 'probes', verdict: 'fail', detail: 'down', code: 'CCM3104' } as const;
    const [soft] = gateFindings([{ ...verdict, hardness: 'soft' }]);
    const [hard] = gateFindings([{ ...verdict, hardness: 'hard' }]);
    expect(softGateOf(soft.subject)).toBe('probes');
    expect(softGateOf(hard.subject)).toBeNull();
  });

  it('is none where it is about something else', () => {
    expect(softGateOf('node cp-1')).toBeNull();
  });
});
