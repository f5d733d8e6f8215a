import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { AccessKey, PrincipalKey } from '../../domain/authority/access-policy.js';
import { exactBase64 } from './exact-base64.js';
import { readFidoSignature } from './fido-signature.js';
import { readTokenSignature, type TokenFault } from './token-signature.js';

/** Signs bytes of a type as DSSE does; in base64. `key` is an Ed25519 private key. */
export function signBytes(type: string, bytes: Buffer, key: KeyObject): string {
  return sign(null, preAuthenticated(type, bytes), key).toString('base64');
}

/** Keys of policies are read again and again, and parsing one takes longer than checking a signature. */
const parsedKeys = new Map<string, KeyObject>();
const MOST_KEYS = 4_000;

/** Whether `sig` (base64) is the signature of these bytes by the Ed25519 key with this SPKI (DER in base64). */
export function isSignedBy(spki: string, type: string, bytes: Buffer, sig: string): boolean {
  const signature = exactBase64(sig);
  return (
    signature !== null &&
    signatureFault({ spki }, preAuthenticated(type, bytes), signature) === null
  );
}

/** What is wrong with the signature of a person's own key. */
type OwnKeyFault = 'wrong' | 'untouched' | 'withoutPin';

export type SignatureFault = OwnKeyFault | TokenFault;

/** What a signature proves. `issuedAt`: when the token that signs was made, in epoch seconds; null of another key. */
export type ReadSignature =
  | { readonly kind: 'right'; readonly issuedAt: number | null }
  | { readonly kind: 'faulty'; readonly fault: SignatureFault };

/** Whether a principal signed `message`; which kind of key it has, the policy says and not the signature. */
export function readSignature(
  key: PrincipalKey,
  message: Buffer,
  signature: Buffer,
): ReadSignature {
  if ('oidc' in key) return readTokenSignature(key.oidc, message, signature, keyOf);
  const fault = signatureFault(key, message, signature);
  return fault === null ? { kind: 'right', issuedAt: null } : { kind: 'faulty', fault };
}

/**
 * What is wrong with a signature of `message`; null where nothing is. Which kind of key it is, the policy says and not the
 * signature. Each signature of a FIDO key must have been touched for.
 */
export function signatureFault(
  { spki, fido }: Pick<AccessKey, 'spki' | 'fido'>,
  message: Buffer,
  signature: Buffer,
): OwnKeyFault | null {
  if (fido === undefined) return verify(null, message, keyOf(spki), signature) ? null : 'wrong';
  const read = readFidoSignature(fido.application, message, signature);
  if (read === null || !verify(null, read.signed, keyOf(spki), read.sig)) return 'wrong';
  if (!read.isTouched) return 'untouched';
  return fido.pin && !read.isVerified ? 'withoutPin' : null;
}

function keyOf(spki: string): KeyObject {
  const known = parsedKeys.get(spki);
  if (known !== undefined) return known;
  const key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
  if (parsedKeys.size >= MOST_KEYS) parsedKeys.clear();
  parsedKeys.set(spki, key);
  return key;
}

/** What DSSE signs: its version, the type and the bytes, each with its length. */
export function preAuthenticated(type: string, bytes: Buffer): Buffer {
  const head = `DSSEv1 ${String(Buffer.byteLength(type))} ${type} ${String(bytes.length)} `;
  return Buffer.concat([Buffer.from(head), bytes]);
}
