import {
  type AccessPolicy,
  type AccessPrincipal,
  principalOfKey,
} from '../../domain/authority/access-policy.js';
import type { SignedStatement } from '../../domain/authority/authorise.js';
import { type Envelope, PAYLOAD_TYPE } from '../../domain/authority/signed-envelope.js';
import { type Statement, readStatement, statementText } from '../../domain/authority/statement.js';
import { nativeDigest } from '../native-digest.js';
import {
  exactBase64,
  preAuthenticated,
  type SignatureFault,
  signatureFault,
} from './signatures.js';

/** An Ed25519 key: one that is here, or one that another program holds. */
export interface BytesSigner {
  /** Names the public half, as in the access policy. */
  readonly keyId: string;
  /** The signature; of a FIDO key with its flags and counter. */
  readonly sign: (bytes: Buffer) => Promise<Buffer>;
}

/** Signs a statement. It rejects where its key does. */
export async function signStatement(
  statement: Statement,
  { keyId, sign }: BytesSigner,
): Promise<Envelope> {
  const bytes = Buffer.from(statementText(statement));
  const sig = (await sign(preAuthenticated(PAYLOAD_TYPE, bytes))).toString('base64');
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
  const bytes = exactBase64(envelope.payload);
  if (bytes === null) return refused('its payload is no base64');
  const sig = exactBase64(signature.sig);
  const message = preAuthenticated(PAYLOAD_TYPE, bytes);
  const fault = sig === null ? 'wrong' : signatureFault(key, message, sig);
  if (fault !== null) return refused(FAULTS[fault]);
  const text = bytes.toString('utf8');
  const statement = readStatement(text);
  if (statement === null) return refused('it is not a statement of this version');
  return signed(statement, text, principal, key.revoked);
}

const FAULTS: Readonly<Record<SignatureFault, string>> = {
  wrong: 'its signature is wrong',
  untouched: 'its key signed without a touch',
  withoutPin: 'its key signed without its PIN',
};

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
