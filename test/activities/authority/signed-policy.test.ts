import { sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  policyDigest,
  policySignedBy,
  signedPolicyBytes,
} from '../../../activities/authority/signed-policy.js';
import { preAuthenticated } from '../../../activities/authority/signatures.js';
import type { PolicySigners } from '../../../domain/authority/policy-signers.js';
import { PAYLOAD_TYPE } from '../../../domain/authority/signed-envelope.js';
import { tapped } from '../../support/fido-token.js';
import { fidoPrincipal, testPrincipal, type TestPrincipal } from '../../support/signing.js';

const FILE = Buffer.from('kind: AccessPolicy\n');
const OTHER = Buffer.from('kind: AccessPolicy\r\n');
const ana = testPrincipal('ana');
const ben = fidoPrincipal('ben');

const signersWith = (...people: readonly TestPrincipal[]): PolicySigners => ({
  ...{ quorum: 1, oldestVersion: 1 },
  signers: people.map(({ name, keys }) => ({
    name,
    keys: keys.flatMap((key) => ('spki' in key ? [key] : [])),
  })),
});
const SIGNERS = signersWith(ana, ben);

/** A line of the file beside FILE, with what is not as it should be. */
const line = (sig: Buffer, { keyId }: { readonly keyId: string }, of = FILE) => ({
  ...{ policy: policyDigest(of), keyid: keyId, sig: sig.toString('base64') },
});
const byAna = (message: Buffer): Buffer => sign(null, message, ana.key);
const byBen = (flags: number): Buffer => tapped(ben.key, signedPolicyBytes(FILE), { flags });

describe('who signed a policy', () => {
  it('is whose key signed this very text, each once', () => {
    const [ofAna, ofBen] = [line(byAna(signedPolicyBytes(FILE)), ana), line(byBen(1), ben)];
    expect(policySignedBy(SIGNERS, FILE, [ofAna, ofBen, ofAna])).toEqual(['ana', 'ben']);
  });

  it.each([
    ['of another text', line(byAna(signedPolicyBytes(OTHER)), ana)],
    ['of another text that says so', line(byAna(signedPolicyBytes(OTHER)), ana, OTHER)],
    ['that is a statement', line(byAna(preAuthenticated(PAYLOAD_TYPE, FILE)), ana)],
    ['of the bare bytes', line(byAna(FILE), ana)],
    ['of another key', line(byAna(signedPolicyBytes(FILE)), ben)],
    ['of a key that no one has', line(byAna(signedPolicyBytes(FILE)), { keyId: 'none' })],
    ['without a touch', line(byBen(0), ben)],
    ['that is cut off', line(byAna(signedPolicyBytes(FILE)).subarray(0, 63), ana)],
    ['in another spelling', { ...line(byAna(signedPolicyBytes(FILE)), ana), sig: 'not base64!' }],
  ])('is not told by a signature %s', (_, signature) => {
    expect(policySignedBy(SIGNERS, FILE, [signature])).toEqual([]);
  });

  it('is not told by a key that was revoked', () => {
    const { signers, ...rest } = SIGNERS;
    const lost = signers.map(({ name, keys }) => ({
      name,
      keys: keys.map((key) => ({ ...key, revoked: true })),
    }));
    const signature = line(byAna(signedPolicyBytes(FILE)), ana);
    expect(policySignedBy({ ...rest, signers: lost }, FILE, [signature])).toEqual([]);
  });
});
