import type { EvidenceOutcome, EvidenceRecord } from './record.js';

/** How each intent ended, by its id; one that is open has no entry. */
export function intentOutcomes(
  records: readonly Pick<EvidenceRecord, 'entry'>[],
): ReadonlyMap<string, EvidenceOutcome['kind']> {
  return new Map(
    records.flatMap(({ entry }) =>
      entry.kind === 'outcome' ? [[entry.intentId, entry.outcome.kind] as const] : [],
    ),
  );
}
