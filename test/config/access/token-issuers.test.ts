import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readAccessPolicy } from '../../../config/access/access-policy-file.js';
import { oidcKeyId } from '../../../domain/authority/access-policy.js';
import { nativeDigest } from '../../../activities/native-digest.js';
import { newIssuerKey, type OwnIssuerKey } from '../../support/token-issuer.js';

const RSA = newIssuerKey('rsa-1', 'RS256');
const EC = newIssuerKey('ec-1', 'ES256');
const ED = newIssuerKey('ed-1', 'EdDSA');
const ISSUER = 'https://token.actions.githubusercontent.com';
const SUBJECT = 'repo:org/clusters:environment:production';
const OIDC = { issuer: ISSUER, subject: SUBJECT };
const SPKI = `MCowBQYDK2VwAyEA${'A'.repeat(43)}=`;

interface Written {
  readonly issuers?: unknown;
  readonly keys?: readonly unknown[];
  readonly more?: readonly unknown[];
  readonly workers?: readonly unknown[];
  readonly logs?: readonly unknown[];
}

const grants = [{ roles: ['requester'] }];

/** The problems of a policy with these issuers and keys; none of a good one. */
function problemsOf({
  issuers = [{ issuer: ISSUER, keys: [RSA.jwk, EC.jwk, ED.jwk] }],
  keys = [{ oidc: OIDC }],
  more = [],
  ...others
}: Written): string {
  const read = readAccessPolicy(
    JSON.stringify({
      ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AccessPolicy' },
      metadata: { name: 'access' },
      spec: { version: 1, issuers, principals: [{ name: 'ci', keys, grants }, ...more], ...others },
    }),
  );
  return read.kind === 'invalid' ? read.problems.join('; ') : '';
}

const withKey = (jwk: object): Written => ({
  issuers: [{ issuer: ISSUER, keys: [jwk] }],
});

function rsa(modulusLength: number, publicExponent = 65_537): JsonWebKey {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent });
  return { ...publicKey.export({ format: 'jwk' }), kid: 'a' };
}

const privateOf = ({ key, kid }: OwnIssuerKey): object => ({
  ...key.export({ format: 'jwk' }),
  kid,
});

function p384(): object {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  return { ...publicKey.export({ format: 'jwk' }), kid: 'a' };
}

const PRIVATE = 'part of a private key: write public keys only';

describe('issuers of tokens in a policy', () => {
  it('are read with the keys that are pinned', () => {
    const read = readAccessPolicy(
      JSON.stringify({
        ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AccessPolicy' },
        metadata: { name: 'access' },
        spec: {
          version: 1,
          issuers: [{ issuer: ISSUER, keys: [RSA.jwk, EC.jwk], audience: ['ci'] }],
          principals: [{ name: 'ci', keys: [{ oidc: OIDC, revoked: true }], grants }],
        },
      }),
    );
    const pinned = [RSA, EC].map(({ kid, algorithm, spki }) => ({ kid, algorithm, spki }));
    const issuer = { issuer: ISSUER, audience: ['ci'], keys: pinned };
    const keyId = oidcKeyId(ISSUER, SUBJECT);
    expect(read).toMatchObject({
      kind: 'valid',
      policy: {
        principals: [{ keys: [{ keyId, revoked: true, oidc: { issuer, subject: SUBJECT } }] }],
      },
    });
    expect(keyId).toBe(nativeDigest(`{"issuer":"${ISSUER}","subject":"${SUBJECT}"}`));
  });

  it.each<[string, Written]>([
    ['of all kinds', {}],
    ['that no one uses', { keys: [{ ed25519: SPKI }] }],
    ['that publish no more than the key', withKey({ ...EC.jwk, alg: undefined, use: undefined })],
    ['that say what the key is for', withKey({ ...ED.jwk, key_ops: ['verify'] })],
    ['with a long key', withKey(rsa(3072))],
    ['beside a key of its own', { keys: [{ ed25519: SPKI }, { oidc: OIDC }] }],
    ['for several subjects', { keys: [{ oidc: OIDC }, { oidc: { ...OIDC, subject: 'b' } }] }],
  ])('may be written: %s', (_, written) => {
    expect(problemsOf(written)).toBe('');
  });

  it.each<[string, Written, string]>([
    ['a private RSA key', withKey(privateOf(RSA)), `issuers.0.keys.0.d: this is ${PRIVATE}`],
    ['a private EC key', withKey(privateOf(EC)), PRIVATE],
    ['a private Ed25519 key', withKey(privateOf(ED)), PRIVATE],
    ['a prime of an RSA key', withKey({ ...RSA.jwk, p: 'AQAB' }), PRIVATE],
    ['a secret key', withKey({ kty: 'oct', kid: 'a', k: 'AAAA' }), 'this is a secret key'],
    ['a key of another kind', withKey({ kty: 'AKP', kid: 'a' }), 'kty RSA, EC (P-256) or OKP'],
    ['a key of 1024 bits', withKey(rsa(1024)), 'an RSA key has 2048 to 8192 bits'],
    ['a key with the exponent 3', withKey(rsa(2048, 3)), 'an RSA key has the exponent 65537'],
    ['a key of another curve', withKey(p384()), 'crv'],
    ['a key for PS256', withKey({ ...RSA.jwk, alg: 'PS256' }), 'alg'],
    ['a key for the algorithm of others', withKey({ ...RSA.jwk, alg: 'ES256' }), 'with RS256 here'],
    ['a key that encrypts', withKey({ ...RSA.jwk, use: 'enc' }), 'use'],
    ['a key without a kid', withKey({ ...RSA.jwk, kid: undefined }), 'kid'],
    [
      'a key with half a point',
      withKey({ ...EC.jwk, y: undefined }),
      'exactly x and y, and crv P-256',
    ],
    ['a key without a curve', withKey({ ...ED.jwk, crv: undefined }), 'exactly x, and crv Ed25519'],
    ['two keys in one', withKey({ ...RSA.jwk, x: 'AAAA' }), 'exactly e and n'],
    ['a point off its curve', withKey({ ...EC.jwk, y: EC.jwk.x }), 'this is not a key'],
    [
      'another spelling of a key',
      withKey({ ...RSA.jwk, n: `AA${String(RSA.jwk.n)}` }),
      'not a key',
    ],
    ['a key with padding', withKey({ ...RSA.jwk, e: 'AQAB=' }), 'write it in base64url'],
    ['a certificate', withKey({ ...RSA.jwk, x5c: ['MII'] }), 'x5c: unknown key'],
    [
      'one kid twice',
      { issuers: [{ issuer: ISSUER, keys: [RSA.jwk, { ...EC.jwk, kid: 'rsa-1' }] }] },
      'one kid is given twice',
    ],
    [
      'one issuer twice',
      { issuers: [RSA, EC].map(({ jwk }) => ({ issuer: ISSUER, keys: [jwk] })) },
      'one issuer is given twice',
    ],
    ['no key', { issuers: [{ issuer: ISSUER, keys: [] }] }, 'keys'],
    ['an issuer over http', { issuers: [{ issuer: 'http://a', keys: [RSA.jwk] }] }, 'https://'],
    [
      'an empty audience',
      { issuers: [{ issuer: ISSUER, keys: [RSA.jwk], audience: [] }] },
      'audience',
    ],
    [
      'where keys are',
      { issuers: [{ issuer: ISSUER, keys: [RSA.jwk], jwks_uri: 'x' }] },
      'unknown key',
    ],
    ['an issuer that is not described', { issuers: [] }, 'not in spec.issuers'],
    [
      'an issuer with a slash more',
      { keys: [{ oidc: { ...OIDC, issuer: `${ISSUER}/` } }] },
      'not in spec.issuers',
    ],
    ['no subject', { keys: [{ oidc: { issuer: ISSUER } }] }, 'subject'],
    ['an empty subject', { keys: [{ oidc: { ...OIDC, subject: '' } }] }, 'subject'],
    ['a key of two kinds', { keys: [{ ed25519: SPKI, oidc: OIDC }] }, 'or oidc alone'],
    [
      'a token to be touched',
      { keys: [{ oidc: OIDC, fido: { application: 'ssh:' } }] },
      'or oidc alone',
    ],
    ['a key of no kind', { keys: [{}] }, 'write ed25519'],
    ['one subject twice', { keys: [{ oidc: OIDC }, { oidc: OIDC }] }, 'one key is given twice'],
    [
      'one subject of two principals',
      { more: [{ name: 'ben', keys: [{ oidc: OIDC }], grants }] },
      'one key is given twice',
    ],
    [
      'a token of a worker',
      { workers: [{ name: 'w', keys: [{ oidc: OIDC }] }] },
      'workers.0.keys.0',
    ],
    ['a token of a log', { logs: [{ origin: 'l', keys: [{ oidc: OIDC }] }] }, 'logs.0.keys.0'],
  ])('are refused with %s', (_, written, problem) => {
    expect(problemsOf(written)).toContain(problem);
  });

  it('are refused without a word of the keys', () => {
    const { d = '', p = '' } = RSA.key.export({ format: 'jwk' });
    const said = problemsOf(withKey(privateOf(RSA)));
    expect(said).not.toContain(d);
    expect(said).not.toContain(p);
  });
});
