import type { EvidenceRecord } from '../../domain/evidence/record.js';
import type { SignRecord } from '../../domain/evidence/signed-record.js';

/** Signs what a store writes with the key of its worker, and knows it again. */
export interface RecordSigner {
  /** Id of its key. */
  readonly keyId: string;
  readonly sign: SignRecord;
  isOwn(record: EvidenceRecord): boolean;
}
