import { createPublicKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { IssuerKey, TokenAlgorithm } from '../../domain/authority/access-policy.js';

/** ASCII, as OpenID Connect has subjects, and so that a text has one spelling. */
const text = z.string().regex(/^[\x20-\x7e]{1,255}$/, 'use 1 to 255 characters of ASCII');

const issuerName = z
  .string()
  .regex(/^https:\/\/[\x21-\x3f\x41-\x7e]{1,247}$/, 'write the https:// address, as `iss` says it');

/** How a principal's tokens are told from others. */
export const tokenOwner = z.strictObject({
  issuer: issuerName.meta({ description: 'One of spec.issuers.' }),
  subject: text.meta({
    description: 'Exactly what `sub` of its tokens says; nothing in it stands for anything else.',
  }),
});

const NEVER = /^(?!)/;
const secret = z
  .string()
  .regex(NEVER, 'this is part of a private key: write public keys only, and give this one up')
  .optional()
  .meta({ description: 'Refused: it is part of a private key.' });

const member = z
  .string()
  .regex(/^[\w-]{1,1400}$/, 'write it in base64url, as the issuer does')
  .optional();

/** Members of a JWK that are private (RFC 7518, section 6): each is refused, whatever it holds. */
export const PRIVATE_MEMBERS = {
  d: secret,
  p: secret,
  q: secret,
  dp: secret,
  dq: secret,
  qi: secret,
  k: secret,
};

/** A public JWK (RFC 7517), as the issuer publishes it. */
const issuerKey = z
  .strictObject({
    kid: text.meta({ description: 'Names the key in the header of tokens.' }),
    kty: z.string().regex(/^(?:RSA|EC|OKP)$/, { error: ({ input }) => otherKind(input) }),
    use: z.literal('sig').optional(),
    key_ops: z.array(z.literal('verify')).length(1).optional(),
    alg: z.enum(['RS256', 'ES256', 'EdDSA']).optional(),
    crv: z.enum(['P-256', 'Ed25519']).optional(),
    ...{ n: member, e: member, x: member, y: member, ...PRIVATE_MEMBERS },
  })
  .transform((jwk, context): IssuerKey => {
    const read = readJwk(jwk);
    if (typeof read !== 'string') return read;
    context.addIssue({ code: 'custom', message: read });
    return z.NEVER;
  });

function otherKind(kty: unknown): string {
  return kty === 'oct'
    ? 'this is a secret key: who checks with it could sign with it, too; write a public key'
    : 'write a key of kty RSA, EC (P-256) or OKP (Ed25519)';
}

interface KindOfKey {
  readonly algorithm: TokenAlgorithm;
  readonly crv?: string;
  /** Its own members, in the order of their names. */
  readonly members: readonly ('e' | 'n' | 'x' | 'y')[];
}

/** Each kind signs in one way only. */
const KINDS: Readonly<Record<string, KindOfKey>> = {
  RSA: { algorithm: 'RS256', members: ['e', 'n'] },
  EC: { algorithm: 'ES256', crv: 'P-256', members: ['x', 'y'] },
  OKP: { algorithm: 'EdDSA', crv: 'Ed25519', members: ['x'] },
};
const ALL_MEMBERS = ['e', 'n', 'x', 'y'] as const;

type WrittenJwk = { readonly kid: string; readonly kty: string } & Partial<
  Readonly<Record<'alg' | 'crv' | (typeof ALL_MEMBERS)[number], string | undefined>>
>;

/** The key, or what is wrong with it. */
function readJwk(jwk: WrittenJwk): IssuerKey | string {
  const kind = KINDS[jwk.kty];
  if (kind === undefined) return otherKind(jwk.kty);
  const misfit = misfitOf(jwk, kind);
  if (misfit !== null) return misfit;
  const { kty, kid, crv } = jwk;
  const parts = Object.fromEntries(kind.members.map((name) => [name, jwk[name]]));
  const key = publicKeyOf({ kty, ...(crv === undefined ? {} : { crv }), ...parts });
  if (key === null) return 'this is not a key: copy it again';
  const spki = key.export({ type: 'spki', format: 'der' }).toString('base64');
  return weakness(key) ?? { kid, algorithm: kind.algorithm, spki };
}

/** Why it is not a key of its kind; null where it is. */
function misfitOf(jwk: WrittenJwk, { algorithm, crv, members }: KindOfKey): string | null {
  const what = `a key of kty ${jwk.kty}`;
  if (jwk.alg !== undefined && jwk.alg !== algorithm) return `${what} signs with ${algorithm} here`;
  const given = ALL_MEMBERS.filter((name) => jwk[name] !== undefined);
  if (jwk.crv === crv && given.join() === members.join()) return null;
  const curve = crv === undefined ? '' : `, and crv ${crv}`;
  return `${what} has exactly ${members.join(' and ')}${curve}`;
}

/** Null for no key, and for another spelling of one. */
function publicKeyOf(jwk: JsonWebKeyInput['key']): KeyObject | null {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const exact: Readonly<Record<string, unknown>> = { ...key.export({ format: 'jwk' }) };
    return Object.entries(jwk).every(([name, value]) => exact[name] === value) ? key : null;
  } catch {
    return null;
  }
}

function weakness({ asymmetricKeyDetails = {} }: KeyObject): string | null {
  const { modulusLength, publicExponent } = asymmetricKeyDetails;
  if (modulusLength === undefined) return null;
  if (modulusLength < 2048 || modulusLength > 8192) return 'an RSA key has 2048 to 8192 bits';
  return publicExponent === 65_537n ? null : 'an RSA key has the exponent 65537, e: AQAB';
}

/** The keys of an issuer, as a policy has them. */
export const issuerKeys = z
  .array(issuerKey)
  .min(1)
  .max(32)
  .refine((keys) => isEachOnce(keys.map(({ kid }) => kid)), 'one kid is given twice')
  .meta({
    description:
      'Its public keys, as its JWKS has them (`ccm-migrate access issuer` prints them). Workers fetch nothing: write a new one before the issuer signs with it.',
  });

const tokenIssuer = z.strictObject({
  issuer: issuerName.meta({ description: 'Exactly what `iss` of its tokens says.' }),
  keys: issuerKeys,
  audience: z.array(text).min(1).max(8).default([]).meta({
    description:
      'For an issuer whose tokens cannot have the statement as their audience: what `aud` says while `nonce` names the statement.',
  }),
});

export const tokenIssuers = z
  .array(tokenIssuer)
  .max(32)
  .default([])
  .refine((issuers) => isEachOnce(issuers.map(({ issuer }) => issuer)), 'one issuer is given twice')
  .meta({
    description: 'Who makes tokens that sign (OpenID Connect), with the keys that are trusted.',
  });

function isEachOnce(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
