import { describe, expect, it } from '@jest/globals';
import {
  judgePolicy,
  policySignerOf,
  type PolicySigners,
} from '../../../domain/authority/policy-signers.js';

const key = (keyId: string, revoked = false) => ({ keyId, spki: keyId, revoked });
const SIGNERS: PolicySigners = {
  ...{ quorum: 2, oldestVersion: 5 },
  signers: [
    { name: 'ana', keys: [key('a1'), key('a2')] },
    { name: 'ben', keys: [key('b1', true), key('b2')] },
    { name: 'cleo', keys: [key('c1')] },
  ],
};
const judged = (version: number, ...signedBy: readonly string[]) =>
  judgePolicy(SIGNERS, { version }, signedBy);

describe('a policy that must be signed', () => {
  it('is taken with as many signers as it takes', () => {
    expect(judged(5, 'ana', 'cleo')).toEqual({ kind: 'taken' });
    expect(judged(9, 'ana', 'ben', 'cleo')).toEqual({ kind: 'taken' });
  });

  it.each([
    [[], 'signed by no one, and it takes 2 of its signers: ana, ben, cleo may sign'],
    [['ben'], 'signed by ben, and it takes 2 of its signers: ana, cleo may sign'],
    [['ben', 'ben'], 'signed by ben, and'],
    [['ben', 'mallory'], 'signed by ben, and'],
  ])('is refused when signed by %j', (signedBy, why) => {
    expect(judged(5, ...signedBy)).toEqual({
      kind: 'refused',
      why: expect.stringContaining(why),
    });
  });

  it('is refused when it is older than its signers allow', () => {
    expect(judged(4, 'ana', 'ben', 'cleo')).toEqual({
      kind: 'refused',
      why: 'version 4 is older than 5, the oldest that its signers allow',
    });
  });
});

describe('the key of a signature', () => {
  it.each([
    ['a1', 'ana'],
    ['a2', 'ana'],
    ['b2', 'ben'],
    ['b1', undefined],
    ['d1', undefined],
  ])('%s is of %s', (keyId, name) => {
    expect(policySignerOf(SIGNERS, keyId)?.name).toBe(name);
  });
});
