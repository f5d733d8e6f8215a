import { describe, expect, it } from '@jest/globals';
import {
  policySignaturesText,
  readPolicySignatures,
} from '../../../config/access/policy-signatures.js';
import { readPolicySigners } from '../../../config/access/policy-signers-file.js';
import { keyIdOf } from '../../../config/access/public-keys.js';

const spki = (letter: string): string => `MCowBQYDK2VwAyEA${letter.repeat(43)}=`;
const person = (name: string, ...keys: readonly object[]) => ({ name, keys });
const file = (spec: object): string =>
  JSON.stringify({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'PolicySigners' },
    ...{ metadata: { name: 'signers' }, spec },
  });

const ANA = person('ana', { ed25519: spki('A') });
const BEN = person('ben', { ed25519: spki('B'), fido: { application: 'ssh:' } });

describe('those who must sign a policy', () => {
  it('are read with their keys', () => {
    expect(readPolicySigners(file({ quorum: 2, signers: [ANA, BEN] }))).toEqual({
      kind: 'valid',
      signers: {
        ...{ quorum: 2, oldestVersion: 1 },
        signers: [
          { name: 'ana', keys: [{ keyId: keyIdOf(spki('A')), spki: spki('A'), revoked: false }] },
          {
            name: 'ben',
            keys: [
              {
                ...{ keyId: keyIdOf(spki('B')), spki: spki('B'), revoked: false },
                fido: { application: 'ssh:', pin: false },
              },
            ],
          },
        ],
      },
    });
  });

  it.each([
    ['one key of two people', { quorum: 1, signers: [ANA, person('ben', ...ANA.keys)] }, 'one key'],
    ['one person twice', { quorum: 1, signers: [ANA, person('Ana', ...BEN.keys)] }, 'one name'],
    ['too few of them', { quorum: 2, signers: [ANA] }, '2 people must sign, and 1 have a key'],
    [
      'too few whose keys sign',
      { quorum: 2, signers: [ANA, person('ben', { ed25519: spki('B'), revoked: true })] },
      '2 people must sign, and 1 have a key',
    ],
    ['no quorum', { signers: [ANA] }, 'spec.quorum'],
    ['a quorum of none', { quorum: 0, signers: [ANA] }, 'spec.quorum'],
    ['no one', { quorum: 1, signers: [] }, 'spec.signers'],
    ['tokens', { quorum: 1, signers: [person('ci', { oidc: {} })] }, 'oidc'],
    ['another member', { quorum: 1, signers: [ANA], principals: [] }, 'principals'],
  ])('are refused with %s', (_, spec, why) => {
    expect(readPolicySigners(file(spec))).toEqual({
      kind: 'invalid',
      problems: expect.arrayContaining([expect.stringContaining(why)]),
    });
  });
});

describe('a file of signatures', () => {
  const signature = { policy: keyIdOf('text'), keyid: keyIdOf('key'), sig: 'c2ln' };

  it('is read as it was written', () => {
    const both = [signature, { ...signature, sig: 'b3RoZXI=' }];
    expect(readPolicySignatures(policySignaturesText(both))).toEqual(both);
    expect(readPolicySignatures('')).toEqual([]);
  });

  it.each([
    ['text', 'no signature'],
    ['another digest', JSON.stringify({ ...signature, policy: 'sha1:00' })],
    ['a member more', JSON.stringify({ ...signature, by: 'ana' })],
    ['no signature', JSON.stringify({ ...signature, sig: '' })],
    ['a list', '[]'],
  ])('is refused with %s', (_, line) => {
    expect(() => readPolicySignatures(`${policySignaturesText([signature])}${line}\n`)).toThrow(
      'line 2 is no signature',
    );
  });
});
