import {
  type AccessPolicy,
  type AccessPrincipal,
  principalOfKey,
} from '../../domain/authority/access-policy.js';
import { isMadeInTime, type SignedStatement } from '../../domain/authority/authorise.js';
import { type Envelope, PAYLOAD_TYPE } from '../../domain/authority/signed-envelope.js';
import { type Statement, readStatement, statementText } from '../../domain/authority/statement.js';
import { nativeDigest } from '../native-digest.js';
import { exactBase64 } from './exact-base64.js';
import { preAuthenticated, readSignature, type SignatureFault } from './signatures.js';

/** What signs: a key that is here, one that another program holds, or an issuer of tokens. */
export interface BytesSigner {
  readonly sign: (bytes: Buffer) => Promise<KeySignature>;
}

export interface KeySignature {
  /** Names the key, as in the access policy; whose a token is, only the token says. */
  readonly keyId: string;
  /** Of a FIDO key with its flags and counter; of an issuer its token. */
  readonly sig: Buffer;
}

/** Signs a statement. It rejects where its key does. */
export async function signStatement(
  statement: Statement,
  { sign }: BytesSigner,
): Promise<Envelope> {
  const bytes = Buffer.from(statementText(statement));
  const { keyId: keyid, sig } = await sign(preAuthenticated(PAYLOAD_TYPE, bytes));
  const payload = bytes.toString('base64');
  const signatures = [{ keyid, sig: sig.toString('base64') }];
  return { payloadType: PAYLOAD_TYPE, payload, signatures };
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
  const read =
    sig === null ? WRONG : readSignature(key, preAuthenticated(PAYLOAD_TYPE, bytes), sig);
  if (read.kind === 'faulty') return refused(FAULTS[read.fault]);
  const text = bytes.toString('utf8');
  const statement = readStatement(text);
  if (statement === null) return refused('it is not a statement of this version');
  const { issuedAt } = read;
  if (issuedAt !== null && !isMadeInTime(statement, issuedAt)) return refused(UNTIMELY_TOKEN);
  return signed(statement, text, principal, key.revoked);
}

const WRONG = { kind: 'faulty', fault: 'wrong' } as const;
const UNTIMELY_TOKEN = 'its token was made outside the time of the statement';

const FAULTS: Readonly<Record<SignatureFault, string>> = {
  wrong: 'its signature is wrong',
  untouched: 'its key signed without a touch',
  withoutPin: 'its key signed without its PIN',
  noToken: 'its signature is not a token that is taken here',
  unknownKey: 'the key of its token is not in the policy',
  forged: 'its token is not signed by its issuer',
  otherIssuer: 'its token is of another issuer',
  otherSubject: 'its token is of another subject',
  otherStatement: 'its token is for another statement',
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
