import { describe, expect, it } from '@jest/globals';
import { isSkipOfGates, waivableBy } from '../../../domain/decision/waivers.js';

describe('what a person may let pass', () => {
  it.each<[string, 'approve' | 'skip' | 'never', boolean]>([
    ['CCM2012', 'skip', false],
    ['CCM2013', 'skip', false],
    ['CCM2007', 'approve', true],
    ['CCM3104', 'never', true],
    ['', 'never', false],
  ])('%s: by %s; a skip of it is of gates: %s', (code, by, ofGates) => {
    expect(waivableBy(code)).toBe(by);
    expect(isSkipOfGates(code)).toBe(ofGates);
  });
});
