import { describe, expect, it } from '@jest/globals';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import { countingVerdicts, passesSoftGates } from '../../../domain/gates/waived-gates.js';

const FAILED: GateVerdict = {
  ...{ gate: 'nodeSyncErrors', hardness: 'soft', verdict: 'fail' },
  ...{ detail: '4 of 5', code: 'CCM3101' },
};

describe('gates that count for a run', () => {
  it.each<[string, GateVerdict, boolean]>([
    ['the gate that was skipped', FAILED, false],
    ['another gate of the same code', { ...FAILED, gate: 'serviceQueueStuck' }, true],
    ['the same gate for another reason', { ...FAILED, code: 'CCM3103' }, true],
    ['a hard gate of that name', { ...FAILED, hardness: 'hard' }, true],
  ])('%s', (_case, verdict, counts) => {
    const waived = [{ gate: 'nodeSyncErrors', code: 'CCM3101' }];
    expect(countingVerdicts([verdict], waived)).toEqual(counts ? [verdict] : []);
  });

  it('a rollback passes soft gates, a migration does not', () => {
    expect([passesSoftGates('kcm'), passesSoftGates('ccm')]).toEqual([true, false]);
  });
});
