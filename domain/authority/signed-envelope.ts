/** A signed statement as it is carried: a DSSE envelope (secure-systems-lab/dsse, envelope.md). */
export interface Envelope {
  readonly payloadType: typeof PAYLOAD_TYPE;
  /** The statement's bytes in base64. */
  readonly payload: string;
  readonly signatures: readonly EnvelopeSignature[];
}

export interface EnvelopeSignature {
  /** Names the public key, as in the access policy. */
  readonly keyid: string;
  /** In base64; of an issuer's token, its compact form. */
  readonly sig: string;
}

export const PAYLOAD_TYPE = 'application/vnd.ccm-migrate.statement+json';

/** A statement with a reason of 4 KiB fits; nothing else needs as much. */
const LONGEST_PAYLOAD = 16 * 1024;
const LONGEST_NAME = 256;
/** Of a token, in bytes: with the groups of a directory in it. Nothing else that signs is as long. */
export const LONGEST_TOKEN = 8 * 1024;
const LONGEST_SIGNATURE = Math.ceil(LONGEST_TOKEN / 3) * 4;

/** An envelope with one signature; null for anything else. Comes from outside: nothing about it is trusted. */
export function readEnvelope(value: unknown): Envelope | null {
  const { payloadType, payload, signatures } = membersOf(value);
  if (payloadType !== PAYLOAD_TYPE || !isText(payload, LONGEST_PAYLOAD)) return null;
  if (!Array.isArray(signatures) || signatures.length !== 1) return null;
  const { keyid, sig } = membersOf(signatures[0]);
  if (!isText(keyid, LONGEST_NAME) || !isText(sig, LONGEST_SIGNATURE)) return null;
  return { payloadType, payload, signatures: [{ keyid, sig }] };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= most;
}
