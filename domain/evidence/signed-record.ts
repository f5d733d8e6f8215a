import { canonicalJson } from '../digest.js';
import type { RecordBody } from './record.js';
import type { WorkerSignature } from './signed-result.js';

/** The payload type of the signature of a record, as DSSE has one: that of a result or a statement does not pass for it. */
export const RECORD_TYPE = 'application/vnd.ccm-migrate.evidence-record+json';

/** The bytes that are signed, as text. They name the record before it, and so the chain that they belong to. */
export function recordText({ sequence, previous, entry }: RecordBody): string {
  return canonicalJson({ sequence, previous, entry });
}

/** What signs the records that a store writes. */
export type SignRecord = (body: RecordBody) => WorkerSignature;
