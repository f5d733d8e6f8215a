import type { EvidenceAuthority, EvidenceRecord } from '../../domain/evidence/record.js';
import { type AuditCheck, judged } from './audit-check.js';
import type { RecordedEvent } from './recorded-run.js';

/**
 * What a run rests on, by its history, must be on record as accepted before its first change; and who accepted, approved and
 * broke the glass is said. Whether they may is another check: check-roles.ts.
 */
export function checkAuthority(
  events: readonly RecordedEvent[],
  records: readonly Pick<EvidenceRecord, 'entry'>[],
): AuditCheck {
  const said = records.flatMap(({ entry }) =>
    entry.kind === 'authority' ? [entry.authority] : [],
  );
  const steps = events.filter((event) => event.kind === 'step');
  const statements = new Set(steps.map(({ statement }) => statement));
  const accepted = said.filter(({ verdict }) => verdict === 'accepted');
  const onRecord = new Set(accepted.map(({ statement }) => statement));
  const faults = [...statements]
    .filter((each) => each !== '' && !onRecord.has(each))
    .map((each) => `the evidence has no acceptance of ${each}, which the run rests on`);
  const isMixed = statements.has('') && statements.size > 1;
  const mixed = isMixed ? ['some of its steps rest on a statement, and some on none'] : [];
  const late = isLate(records) ? ['it was accepted after it had changed something'] : [];
  return judged('authority', [...faults, ...mixed, ...late], summaryOf(said));
}

/** An acceptance of the run itself that follows a change. */
function isLate(records: readonly Pick<EvidenceRecord, 'entry'>[]): boolean {
  const first = records.findIndex(({ entry }) => entry.kind === 'intent');
  const accepted = records.findIndex(
    ({ entry }) => entry.kind === 'authority' && isStart(entry.authority),
  );
  return first !== -1 && accepted > first;
}

function isStart({ verdict, verb }: EvidenceAuthority): boolean {
  return verdict === 'accepted' && verb === 'apply';
}

function summaryOf(said: readonly EvidenceAuthority[]): string {
  if (said.length === 0) return 'no one signed: its worker obeyed everyone';
  const accepted = said.filter(({ verdict }) => verdict === 'accepted');
  const each = accepted.map(({ verb, principal, role, actor }) => {
    const claim = actor === principal ? '' : `, claiming ${actor}`;
    return `${verb} by ${principal} as ${role}${claim}`;
  });
  const refused = said.length - accepted.length;
  const broken = accepted.some(({ role }) => role === 'breakGlass') ? ['BREAK-GLASS'] : [];
  return [
    ...broken,
    ...new Set(each),
    ...(refused === 0 ? [] : [`${String(refused)} refused`]),
  ].join('; ');
}
