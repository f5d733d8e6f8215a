import { type ChainHead, continuesFrom } from '../../domain/evidence/chain.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { type AuditCheck, judged } from './audit-check.js';
import type { RecordedEvent } from './recorded-run.js';

/**
 * Each change of a run reported how far its evidence went: what the chain was then must be its beginning now. Runs of older
 * builds reported it at their end alone.
 */
export function checkHeads(
  events: readonly RecordedEvent[],
  records: readonly Pick<EvidenceRecord, 'hash'>[],
): AuditCheck {
  const hashes = records.map(({ hash }) => hash);
  const heads = events.flatMap((event) =>
    event.kind === 'evidence' ? [{ where: event.where, head: event.head }] : [],
  );
  const faults = heads
    .filter(({ head }) => !continuesFrom(head, hashes))
    .map(({ where, head }) => `${where} reported ${headText(head)}, which the chain has not`);
  return judged('heads', faults, `${String(heads.length)} reported, each in the chain`);
}

function headText({ records, hash }: ChainHead): string {
  return `record ${String(records)} as ${hash}`;
}
