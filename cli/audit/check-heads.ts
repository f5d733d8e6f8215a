import { type ChainHead, continuesFrom } from '../../domain/evidence/chain.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { type AuditCheck, judged } from './audit-check.js';
import type { ReportedEnd } from './history-facts.js';
import type { RecordedEvent } from './recorded-run.js';

/**
 * Each change of a run reported how far its evidence went: what the chain was then must be its beginning now, it only grew, and
 * what the run was closed with is all of it. What a run knew when it asked for a change was reported to it before. Runs of older builds
 * reported it at their end alone.
 */
export function checkHeads(
  events: readonly RecordedEvent[],
  records: readonly Pick<EvidenceRecord, 'hash'>[],
  end: ReportedEnd,
): AuditCheck {
  const hashes = records.map(({ hash }) => hash);
  const heads = events.flatMap((event) => (event.kind === 'evidence' ? [event] : []));
  const faults = heads.flatMap(({ where, head, ends }, index) => {
    const before = heads[index - 1]?.head.records ?? 0;
    const told = `${where} reported ${headText(head)}`;
    return [
      ...(continuesFrom(head, hashes) ? [] : [`${told}, which the chain has not`]),
      ...(head.records < before ? [`${told}, after record ${String(before)}`] : []),
      ...(ends && head.records !== hashes.length ? [`${told} as the last one`] : []),
    ];
  });
  const isClosed = end.kind !== 'reported' || heads.some(({ ends }) => ends);
  const unclosed = isClosed ? [] : ['the run reported its end, but no worker closed it'];
  const good = `${String(heads.length)} reported, each in the chain`;
  return judged('heads', [...faults, ...unreported(events), ...unclosed], good);
}

function unreported(events: readonly RecordedEvent[]): readonly string[] {
  const reported = new Set<string>();
  return events.flatMap((event) => {
    if (event.kind === 'evidence') reported.add(headText(event.head));
    if (event.kind !== 'asked') return [];
    const { evidence } = event.asked;
    if (evidence === null || evidence.records === 0 || reported.has(headText(evidence))) return [];
    return [`${event.where} knew ${headText(evidence)}, which nothing before it had reported`];
  });
}

function headText({ records, hash }: ChainHead): string {
  return `record ${String(records)} as ${hash}`;
}
