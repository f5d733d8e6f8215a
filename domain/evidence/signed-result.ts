import { canonicalJson } from '../digest.js';

/**
 * What a worker signs of an activity: that this text came out of this input, in this execution of this workflow. Digests are
 * `sha256:<hex>` of texts as a history carries them.
 */
export interface ResultStatement {
  readonly workflowId: string;
  /** Of the execution, which is another one after each continuation. */
  readonly runId: string;
  readonly activity: string;
  readonly activityId: string;
  /** Of the arguments' JSON. */
  readonly input: string;
  /** Of the result's JSON without its signature. */
  readonly result: string;
}

/** The payload type of its signature, as DSSE has one: neither kind of statement passes for the other. */
export const RESULT_TYPE = 'application/vnd.ccm-migrate.result+json';

/** The bytes that are signed, as text. */
export function resultStatementText(statement: ResultStatement): string {
  return canonicalJson(statement);
}

export interface WorkerSignature {
  /** Names the public key, as in the access policy. */
  readonly keyid: string;
  /** In base64. */
  readonly sig: string;
}

export interface SignedText {
  /** JSON of the result as the activity returned it. */
  readonly text: string;
  /** Null where it is not signed. */
  readonly signature: WorkerSignature | null;
}

/** A result with its signature as last member, whatever it is written with: JSON keeps the order of members. */
export function withSignature(result: object, signature: WorkerSignature): object {
  const { keyid, sig } = signature;
  return { ...result, signature: { keyid, sig } };
}

/** As text of regular expressions: what names a key, and what an Ed25519 key signs, in base64. */
const [KEY_ID, SIG] = ['sha256:[0-9a-f]{64}', '[A-Za-z0-9+/]{86}=='] as const;
const SIGNATURE = new RegExp(`,?"signature":\\{"keyid":"(${KEY_ID})","sig":"(${SIG})"\\}\\}$`);

/** The form of each member of a signature. */
export const SIGNATURE_FORMS: Readonly<Record<keyof WorkerSignature, RegExp>> = {
  keyid: new RegExp(`^${KEY_ID}$`),
  sig: new RegExp(`^${SIG}$`),
};

/** The parts of a result as it was carried. Exactly what `withSignature` writes is a signature, nothing else. */
export function splitSigned(carried: string): SignedText {
  const found = SIGNATURE.exec(carried);
  const [, keyid, sig] = found ?? [];
  if (found === null || keyid === undefined || sig === undefined) {
    return { text: carried, signature: null };
  }
  return { text: `${carried.slice(0, found.index)}}`, signature: { keyid, sig } };
}
