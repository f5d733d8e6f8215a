import { verify, type KeyObject } from 'node:crypto';
import type { IssuerKey, OidcKey, TokenAlgorithm } from '../../domain/authority/access-policy.js';
import { audienceFor, type IdToken, readIdToken } from './id-token.js';

/** What is wrong with a token that came as a signature. */
export type TokenFault =
  'noToken' | 'unknownKey' | 'forged' | 'otherIssuer' | 'otherSubject' | 'otherStatement';

export type ReadTokenSignature =
  | { readonly kind: 'right'; readonly issuedAt: number }
  | { readonly kind: 'faulty'; readonly fault: TokenFault };

/**
 * Whether the compact form of a token in `carried` signs `message` for this key of a policy. It rests on the policy and the bytes
 * alone, never on a clock or a network. Whether it was made in time, the statement must say: `isMadeInTime`.
 */
export function readTokenSignature(
  { issuer, subject }: OidcKey['oidc'],
  message: Buffer,
  carried: Buffer,
  keyOf: (spki: string) => KeyObject,
): ReadTokenSignature {
  const token = readIdToken(carried.toString('latin1'));
  if (token === null) return faulty('noToken');
  const key = issuer.keys.find(({ kid }) => kid === token.kid);
  if (key === undefined) return faulty('unknownKey');
  if (!isMadeWith(key, token, keyOf)) return faulty('forged');
  const { claims } = token;
  if (claims.issuer !== issuer.issuer) return faulty('otherIssuer');
  if (claims.subject !== subject) return faulty('otherSubject');
  return isForStatement(claims, issuer.audience, audienceFor(message))
    ? { kind: 'right', issuedAt: claims.issuedAt }
    : faulty('otherStatement');
}

function faulty(fault: TokenFault): ReadTokenSignature {
  return { kind: 'faulty', fault };
}

/** Of each algorithm, the digest and how Node writes its signature (RFC 7518, section 3.4). */
const DIGESTS: Readonly<Record<TokenAlgorithm, string | null>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  EdDSA: null,
};

/** A key has one algorithm: what a token names chooses nothing, and must only say the same. */
function isMadeWith(
  { algorithm, spki }: IssuerKey,
  token: IdToken,
  keyOf: (spki: string) => KeyObject,
): boolean {
  const key = { key: keyOf(spki), dsaEncoding: 'ieee-p1363' } as const;
  return token.algorithm === algorithm && verify(DIGESTS[algorithm], token.signed, key, token.sig);
}

/** A provider that cannot set an audience names the statement in the nonce, where the policy knows its audience. */
function isForStatement(
  { audience, nonce }: IdToken['claims'],
  known: readonly string[],
  wanted: string,
): boolean {
  return audience === wanted || (nonce === wanted && known.includes(audience));
}
