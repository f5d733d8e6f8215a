import {
  createHash,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign as signature,
} from 'node:crypto';
import type {
  IssuerKey,
  TokenAlgorithm,
  TokenIssuer,
} from '../../domain/authority/access-policy.js';

/** A key of an issuer with both halves, as it is published and as a policy has it. */
export interface OwnIssuerKey extends IssuerKey {
  readonly key: KeyObject;
  readonly jwk: JsonWebKey;
}

function pairFor(algorithm: TokenAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return generateKeyPairSync('ed25519');
}

export function newIssuerKey(kid: string, algorithm: TokenAlgorithm): OwnIssuerKey {
  const { publicKey, privateKey: key } = pairFor(algorithm);
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' };
  return { ...{ kid, algorithm, spki, key }, jwk };
}

/** An issuer as a policy describes it. */
export function issuerOf(
  issuer: string,
  keys: readonly OwnIssuerKey[],
  audience: readonly string[] = [],
): TokenIssuer {
  const pinned = keys.map(({ kid, algorithm, spki }) => ({ kid, algorithm, spki }));
  return { issuer, audience, keys: pinned };
}

/** What names bytes in a token, written down a second time, apart from what reads it. */
export const audienceOf = (message: Buffer): string =>
  `ccm-migrate:${createHash('sha256').update(message).digest('hex')}`;

/** Members of header or claims; undefined leaves one out. */
export type Says = Readonly<Record<string, unknown>>;

export const jsonPart = (value: Says | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Header and claims may also be texts, as an issuer would hardly write them. */
export function tokenOf(
  { kid, algorithm, key }: Pick<OwnIssuerKey, 'kid' | 'algorithm' | 'key'>,
  claims: Says | string,
  header: Says | string = {},
): string {
  const head = typeof header === 'string' ? header : { alg: algorithm, kid, typ: 'JWT', ...header };
  const signed = `${jsonPart(head)}.${jsonPart(claims)}`;
  const digest = algorithm === 'EdDSA' ? null : 'sha256';
  const sig = signature(digest, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${sig.toString('base64url')}`;
}
