import { describe, expect, it } from '@jest/globals';
import { makeFinding, type FindingCode } from '../../../domain/findings/catalogue.js';
import type { Waiver } from '../../../domain/policy.js';
import { forbidsStart, forbidsTurn } from '../../../domain/preflight/preflight.js';

const found = (code: FindingCode) => makeFinding(code, { subject: 'cluster', seen: 'seen' });
const waived = (code: string, observationDigest: string): Waiver => ({
  ...{ code, observationDigest, actor: 'ana', reason: 'dealt with' },
});

describe('findings that forbid a start', () => {
  it.each<[string, FindingCode, readonly Waiver[], number]>([
    ['an error', 'CCM1101', [], 1],
    ['a finding that a run itself repairs', 'CCM1005', [], 0],
    ['an error that was waived for this state', 'CCM1101', [waived('CCM1101', 'state')], 0],
    ['an error that was waived for another state', 'CCM1101', [waived('CCM1101', 'before')], 1],
    ['an error beside another that was waived', 'CCM1101', [waived('CCM1102', 'state')], 1],
  ])('findings and waivers decide whether a run may start: %s', (_what, code, waivers, count) => {
    expect(forbidsStart([found(code)], waivers, 'state')).toHaveLength(count);
  });

  it('a change of direction forbids less: what each step checks anyway does not delay a rollback', () => {
    const findings = [found('CCM1101'), found('CCM1201'), found('CCM2019')];
    expect(forbidsStart(findings, [], 'state')).toHaveLength(3);
    expect(forbidsTurn(findings, [], 'state').map(({ code }) => code)).toEqual(['CCM1101']);
  });
});
