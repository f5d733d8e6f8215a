import { describe, expect, it } from '@jest/globals';
import { probeBalancerStep } from '../../../../domain/decision/steps/probe-balancer.js';
import type { Owner, Target } from '../../../../domain/vocabulary.js';

describe('which probe is due', () => {
  it.each<[string, Owner, Target, string]>([
    ['KCMs that are to lose their loops are measured', 'kcm', 'ccm', 'before kcm preflight'],
    ['a CCM that has them is proven', 'ccm', 'ccm', 'after ccm verify'],
    [
      'without an owner it is for the target, which must own first',
      'none',
      'ccm',
      'after ccm verify',
    ],
    ['with two owners, too', 'both', 'ccm', 'after ccm verify'],
    ['an unknown owner, too', 'unknown', 'ccm', 'after ccm verify'],
    ['a rollback proves the KCMs', 'kcm', 'kcm', 'after kcm verify'],
    ['a rollback that has not reached them waits for them', 'ccm', 'kcm', 'after kcm verify'],
  ])('%s', (_what, owner, target, expected) => {
    const { effect, phase, cures, name } = probeBalancerStep(owner, target, null);
    if (effect.kind !== 'probeBalancer') throw new Error(effect.kind);
    expect(`${effect.moment} ${effect.owner} ${phase}`).toBe(expected);
    expect({ name, cures, earlier: effect.earlier }).toEqual({
      ...{ name: 'probeBalancer', cures: [], earlier: null },
    });
  });
});
