import { describe, expect, it } from '@jest/globals';
import { makeFinding, type FindingCode } from '../../../domain/findings/catalogue.js';
import type { Waiver } from '../../../domain/policy.js';
import { forbidsStart, forbidsTurn } from '../../../domain/preflight/preflight.js';

const found = (code: FindingCode) => makeFinding(code, { subject: 'cluster', seen: 'seen' });
const waived = (code: string, observationDigest: string): Waiver => ({
  ...{ code, observationDigest, actor: 'ana', reason: 'dealt with' },
});

describe('what forbids to begin', () => {
  it.each<[string, FindingCode, readonly Waiver[], number]>([
    ['an error', 'CCM1101', [], 1],
    ['what a run itself cures', 'CCM1005', [], 0],
    ['an error that was waived for this state', 'CCM1101', [waived('CCM1101', 'state')], 0],
    ['one that was waived for another state', 'CCM1101', [waived('CCM1101', 'before')], 1],
    ['one beside another that was waived', 'CCM1101', [waived('CCM1102', 'state')], 1],
  ])('%s', (_what, code, waivers, count) => {
    expect(forbidsStart([found(code)], waivers, 'state')).toHaveLength(count);
  });

  it('a turn forbids less: what each step judges anyway does not keep a way back waiting', () => {
    const findings = [found('CCM1101'), found('CCM1201')];
    expect(forbidsStart(findings, [], 'state')).toHaveLength(2);
    expect(forbidsTurn(findings, [], 'state').map(({ code }) => code)).toEqual(['CCM1101']);
  });
});
