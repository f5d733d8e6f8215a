import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import {
  type AccessPolicy,
  type AccessPrincipal,
  principalOfKey,
} from '../../domain/authority/access-policy.js';
import type { SignedStatement } from '../../domain/authority/authorise.js';
import { type Envelope, PAYLOAD_TYPE } from '../../domain/authority/signed-envelope.js';
import { type Statement, readStatement, statementText } from '../../domain/authority/statement.js';
import { nativeDigest } from '../native-digest.js';

/** Signs a statement with an Ed25519 key. `keyId` names its public half, as in the access policy. */
export function signStatement(statement: Statement, key: KeyObject, keyId: string): Envelope {
  const bytes = Buffer.from(statementText(statement));
  const sig = sign(null, preAuthenticated(bytes), key).toString('base64');
  const payload = bytes.toString('base64');
  return { payloadType: PAYLOAD_TYPE, payload, signatures: [{ keyid: keyId, sig }] };
}

/** The statement of an envelope whose signature is right; otherwise why it proves nothing. */
export type OpenedEnvelope =
  | ({ readonly kind: 'signed' } & SignedStatement)
  | { readonly kind: 'refused'; readonly why: string };

/** Checks the signature over the bytes as they were carried, before anything is read from them. */
export function openEnvelope(access: AccessPolicy, envelope: Envelope): OpenedEnvelope {
  const [signature] = envelope.signatures;
  const found = signature === undefined ? null : principalOfKey(access, signature.keyid);
  if (signature === undefined || found === null) return refused('its key is not in the policy');
  const { principal, key } = found;
  const bytes = Buffer.from(envelope.payload, 'base64');
  const sig = Buffer.from(signature.sig, 'base64');
  if (!isSignedBy(key.spki, bytes, sig)) return refused('its signature is wrong');
  const text = bytes.toString('utf8');
  const statement = readStatement(text);
  if (statement === null) return refused('it is not a statement of this version');
  return signed(statement, text, principal, key.revoked);
}

function signed(
  statement: Statement,
  text: string,
  by: AccessPrincipal,
  isRevoked: boolean,
): OpenedEnvelope {
  return { kind: 'signed', statement, digest: nativeDigest(text), by, isRevoked };
}

function refused(why: string): OpenedEnvelope {
  return { kind: 'refused', why };
}

/** Keys of policies are read again and again, and parsing one takes longer than checking a signature. */
const parsedKeys = new Map<string, KeyObject>();
const MOST_KEYS = 4_000;

function isSignedBy(spki: string, bytes: Buffer, sig: Buffer): boolean {
  const known = parsedKeys.get(spki);
  const key =
    known ?? createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
  if (parsedKeys.size >= MOST_KEYS) parsedKeys.clear();
  parsedKeys.set(spki, key);
  return verify(null, preAuthenticated(bytes), key, sig);
}

/** What DSSE signs: its version, the type and the bytes, each with its length. */
function preAuthenticated(bytes: Buffer): Buffer {
  const type = Buffer.from(PAYLOAD_TYPE);
  const head = `DSSEv1 ${String(type.length)} ${PAYLOAD_TYPE} ${String(bytes.length)} `;
  return Buffer.concat([Buffer.from(head), bytes]);
}
