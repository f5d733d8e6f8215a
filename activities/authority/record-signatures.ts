import type { SigningKey } from '../../config/access/signing-key-file.js';
import {
  type AccessKey,
  type AccessPolicy,
  workerOfKey,
} from '../../domain/authority/access-policy.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { RECORD_TYPE, recordText } from '../../domain/evidence/signed-record.js';
import type { RecordSigner } from '../evidence/record-signer.js';
import { isSignedBy, signBytes } from './signatures.js';

/** Signs records with the key of a worker. */
export function recordSigner({ key, keyId, publicKey }: SigningKey): RecordSigner {
  return {
    keyId,
    sign: (body) => ({
      keyid: keyId,
      sig: signBytes(RECORD_TYPE, Buffer.from(recordText(body)), key),
    }),
    isOwn: (record) => record.signature?.keyid === keyId && isRecordSignedBy(publicKey, record),
  };
}

/** Whether what a worker with this key records counts. Whatever any worker records does where the policy names none. */
export function isNamedWorker(access: AccessPolicy, keyId: string): boolean {
  return access.workers.length === 0 || workerOfKey(access, keyId)?.key.revoked === false;
}

/**
 * Whether a worker that the policy names wrote a record: anyone who can add to evidence can continue a chain, which needs no key.
 * Every record counts where the policy names no workers, or where there is none (null).
 */
export function isOfWorker(access: AccessPolicy | null, record: EvidenceRecord): boolean {
  if (access === null || access.workers.length === 0) return true;
  return keyOfRecord(access, record)?.revoked === false;
}

/** The key of a worker of the policy that signed a record, revoked or not; null where none did. */
export function keyOfRecord(access: AccessPolicy, record: EvidenceRecord): AccessKey | null {
  const key = workerOfKey(access, record.signature?.keyid ?? '')?.key ?? null;
  return key !== null && isRecordSignedBy(key.spki, record) ? key : null;
}

/** Whether the key with this SPKI (DER in base64) signed a record, at its place in its chain. */
function isRecordSignedBy(spki: string, record: EvidenceRecord): boolean {
  const { signature } = record;
  const body = Buffer.from(recordText(record));
  return signature !== undefined && isSignedBy(spki, RECORD_TYPE, body, signature.sig);
}
