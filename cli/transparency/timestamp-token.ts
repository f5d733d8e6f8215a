import { hash, randomBytes } from 'node:crypto';
import { Integer, Null, ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import {
  AlgorithmIdentifier,
  type Attribute,
  Certificate,
  ExtKeyUsage,
  MessageImprint,
  SignedData,
  type SignedDataVerifyResult,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';

const SHA1 = '1.3.14.3.2.26';
const SHA256 = '2.16.840.1.101.3.4.2.1';
const HASHES: Readonly<Record<string, string>> = {
  [SHA1]: 'sha1',
  [SHA256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const GRANTED: readonly number[] = [0, 1];
const NONCE_BYTES = 16;

/** What an authority is asked, and the number that its answer must repeat. */
export interface TimestampQuery {
  readonly der: Buffer;
  readonly nonce: Buffer;
}

/** Asks for a timestamp (RFC 3161, 2.4.1) over a text, with the certificates that it takes to check it. */
export function timestampQuery(text: string): TimestampQuery {
  const nonce = randomBytes(NONCE_BYTES);
  // A positive number of just as many bytes, which DER writes as they are.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  const query = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA256, algorithmParams: new Null() }),
      hashedMessage: new OctetString({ valueHex: digestOf(text) }),
    }),
    nonce: new Integer({ valueHex: nonce }),
    certReq: true,
  });
  return { der: Buffer.from(query.toSchema().toBER()), nonce };
}

/** An answer of an authority (TimeStampResp), before anyone believes it. */
export interface TimestampAnswer {
  readonly signed: SignedData;
  readonly info: TSTInfo;
}

/** @throws Error in plain words, for what is no timestamp, or a refusal */
export function readTimestamp(der: Buffer): TimestampAnswer {
  const answer = parsed('it is no answer of a timestamp authority', () =>
    TimeStampResp.fromBER(der),
  );
  const status = answer.status.status;
  demand(GRANTED.includes(status), `the authority refused (status ${String(status)})`);
  return parsed('it holds no timestamp', () => {
    const { timeStampToken: token } = answer;
    demand(token?.contentType === SIGNED_DATA, 'no signed data');
    const signed = new SignedData({ schema: token?.content });
    const { eContent, eContentType } = signed.encapContentInfo;
    demand(eContentType === TST_INFO, 'other content');
    return { signed, info: TSTInfo.fromBER(eContent?.getValue() ?? new ArrayBuffer(0)) };
  });
}

/** Whether an answer is to this query. */
export function answersQuery({ info }: TimestampAnswer, { nonce }: TimestampQuery): boolean {
  return info.nonce !== undefined && nonce.equals(info.nonce.valueBlock.valueHexView);
}

/**
 * When an authority had seen this text (ISO 8601 UTC), by RFC 3161, 2.4.2: signed by one who may sign nothing but timestamps,
 * whose certificate was valid then. Without `authorities` (DER in base64) any authority will do. Nothing is asked of a network,
 * so that a certificate that was withdrawn since still counts.
 * @throws Error in plain words
 */
export async function timestampedAt(
  { signed, info }: TimestampAnswer,
  text: string,
  authorities: readonly string[] | null,
): Promise<string> {
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  demand(hashAlgorithm.algorithmId === SHA256, 'its digest is not SHA-256');
  const imprint = Buffer.from(hashedMessage.getValue());
  demand(imprint.equals(digestOf(text)), 'it is of another checkpoint');
  demand(signed.signerInfos.length === 1, 'it is not signed once');
  const { genTime } = info;
  const verified = await signed
    .verify({
      ...{ signer: 0, data: bytesOf(text), extendedMode: true },
      ...{ checkChain: authorities !== null, checkDate: genTime },
      trustedCerts: (authorities ?? []).map((each) => certificateOf(each)),
    })
    .catch((error: unknown) => refusal(error));
  // The certificate is judged first: of a signature under a wrong one nothing is said.
  demand(verified.signerCertificateVerified !== false, NO_AUTHORITY);
  demand(verified.signatureVerified === true, 'its signature is wrong');
  // It says so of a certificate that it was not to judge, too.
  demand(authorities === null || leadsTo(authorities, verified.certificatePath), NO_AUTHORITY);
  demandSigner(signed, verified.signerCertificate);
  return genTime.toISOString();
}

const NO_AUTHORITY =
  'its certificate leads to no authority of the trust file, or was not valid then';

/** It throws what it found, too. */
function refusal(error: unknown): Verified {
  return typeof error === 'object' && error !== null ? { ...error } : {};
}

/** Whether a path of certificates, the signer's first, ends with one of these (DER in base64). */
function leadsTo(authorities: readonly string[], path: readonly Certificate[] = []): boolean {
  const last = path.at(-1);
  return last !== undefined && authorities.includes(derOf(last).toString('base64'));
}

function derOf(certificate: Certificate): Buffer {
  return Buffer.from(certificate.toSchema(true).toBER());
}

type Verified = Partial<SignedDataVerifyResult>;

/** Its certificate is for timestamps alone, and the one that was meant when it signed (RFC 5816). */
function demandSigner(signed: SignedData, signer: Certificate | null | undefined): void {
  if (signer === null || signer === undefined) throw new Error('it has not the certificate');
  demand(isForTimestamps(signer), 'its certificate is not one for timestamps alone');
  const attributes = signed.signerInfos[0]?.signedAttrs?.attributes ?? [];
  const meant = attributes.map(signingCertificate).find((each) => each !== null);
  demand(
    meant?.digest.equals(hash(meant.algorithm, derOf(signer), 'buffer')) === true,
    'it was signed for another certificate',
  );
}

function isForTimestamps({ extensions = [] }: Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE);
  const purposes: unknown = usage?.parsedValue;
  return (
    usage?.critical === true &&
    purposes instanceof ExtKeyUsage &&
    purposes.keyPurposes.join(' ') === TIME_STAMPING
  );
}

interface MeantCertificate {
  readonly algorithm: string;
  readonly digest: Buffer;
}

/** The first certificate of a signing-certificate attribute (RFC 2634, RFC 5035); null for another attribute. */
function signingCertificate({ type, values }: Attribute): MeantCertificate | null {
  const usual = { [SIGNING_CERTIFICATE]: SHA1, [SIGNING_CERTIFICATE_V2]: SHA256 }[type];
  const [meant] = membersOf(membersOf(values[0])[0]);
  const [first, second] = membersOf(meant);
  const digest = first instanceof Sequence ? second : first;
  if (usual === undefined || !(digest instanceof OctetString)) return null;
  const algorithm = HASHES[first instanceof Sequence ? oidIn(first) : usual];
  return algorithm === undefined ? null : { algorithm, digest: Buffer.from(digest.getValue()) };
}

function oidIn(algorithm: Sequence): string {
  const [oid] = membersOf(algorithm);
  return oid instanceof ObjectIdentifier ? oid.getValue() : '';
}

function membersOf(value: unknown): readonly unknown[] {
  return value instanceof Sequence ? value.valueBlock.value : [];
}

function certificateOf(der: string): Certificate {
  return Certificate.fromBER(Buffer.from(der, 'base64'));
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text)).buffer;
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function parsed<T>(words: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(words);
  }
}

function demand(holds: boolean, words: string): void {
  if (!holds) throw new Error(words);
}
