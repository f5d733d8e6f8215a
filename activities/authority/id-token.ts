import { createHash } from 'node:crypto';
import { fieldsOf } from '../../domain/fleet/read-fields.js';
import { LONGEST_TOKEN } from '../../domain/authority/signed-envelope.js';
import { parseBoundedJson } from '../../domain/yaml/bounded-json.js';
import { exactBase64 } from './exact-base64.js';

/** An ID token (OpenID Connect Core 1.0, section 2; RFC 7515, section 7.1) as it was made: nothing of it is proven yet. */
export interface IdToken {
  readonly algorithm: string;
  readonly kid: string;
  /** What the issuer signed. */
  readonly signed: Buffer;
  readonly sig: Buffer;
  readonly claims: TokenClaims;
}

export interface TokenClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
  /** Empty without one. */
  readonly nonce: string;
  /** Epoch seconds. */
  readonly issuedAt: number;
}

/** What a token must name to sign these bytes, in `aud` or `nonce`. */
export function audienceFor(message: Buffer): string {
  return `ccm-migrate:${createHash('sha256').update(message).digest('hex')}`;
}

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Reads the compact form; null for what is not exactly one, or lacks what a token that signs must say. */
export function readIdToken(text: string): IdToken | null {
  const [, head = '', payload = '', sig = ''] =
    text.length > LONGEST_TOKEN ? [] : (COMPACT.exec(text) ?? []);
  const header = headerOf(jsonOf(head));
  const claims = claimsOf(fieldsOf(jsonOf(payload)));
  const bytes = exactBase64(sig, 'base64url');
  if (header === null || claims === null || bytes === null) return null;
  return { ...header, claims, signed: Buffer.from(`${head}.${payload}`), sig: bytes };
}

/** Those that name a certificate of the key, which the policy pins itself. */
const PASSED_OVER = ['x5t', 'x5t#S256'];

/** A header that says anything else may mean that its signature is to be read in another way (`crit`, `b64`, `jwk`). */
function headerOf(value: unknown): Pick<IdToken, 'algorithm' | 'kid'> | null {
  const { alg, kid, typ = 'JWT', ...more } = fieldsOf(value);
  if (typeof alg !== 'string' || typeof kid !== 'string' || typ !== 'JWT') return null;
  return Object.keys(more).every((name) => PASSED_OVER.includes(name))
    ? { algorithm: alg, kid }
    : null;
}

/** `exp` is never compared with a clock: statements have an end of their own, and what was signed stays verifiable. */
function claimsOf(claims: Readonly<Record<string, unknown>>): TokenClaims | null {
  const { iss: issuer, sub: subject, iat, exp, nonce = '' } = claims;
  const audience = onlyText(claims['aud']);
  if (typeof issuer !== 'string' || typeof subject !== 'string' || audience === null) return null;
  if (typeof nonce !== 'string' || !isWhole(iat) || !isWhole(exp) || exp <= iat) return null;
  return { issuer, subject, audience, nonce, issuedAt: iat };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** A text, alone or the only one of a list: a token for several audiences is one for others, too. */
function onlyText(value: unknown): string | null {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const [text] = texts;
  return typeof text === 'string' && texts.length === 1 ? text : null;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The JSON in a part of a token; null for what is none, or gives a member twice. */
function jsonOf(part: string): unknown {
  const bytes = exactBase64(part, 'base64url');
  try {
    const text = UTF8.decode(bytes ?? Buffer.alloc(0));
    const value = parseBoundedJson(text);
    return membersIn(value) === writtenMembers(text) ? value : null;
  } catch {
    return null;
  }
}

/** JSON.parse keeps the last of two members with one name, so that fewer are left than were written. */
function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: readonly unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : inner.length;
  return inner.reduce<number>((sum, each) => sum + membersIn(each), own);
}

/** In JSON each colon outside a string is one member. */
function writtenMembers(text: string): number {
  return text.match(/"(?:[^"\\]|\\.)*"|:/g)?.filter((part) => part === ':').length ?? 0;
}
