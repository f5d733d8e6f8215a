import type { LoadedDataConverter } from '@temporalio/common';
import { member } from '../read-json.js';
import { type AuditCheck, fail, pass, unproven } from './audit-check.js';
import { reportedOutcome } from './history-facts.js';
import { overtakenIn } from './overtaken-decisions.js';
import type { RecordedEvent } from './recorded-run.js';

const CHECK = 'outcome';

/** What becomes of the check of an outcome: a judgement of what was reported, where anything was. `who` ends. */
export async function judgedOutcome(
  who: 'run' | 'fleet',
  { history, converter }: { readonly history: unknown; readonly converter: LoadedDataConverter },
  judge: (outcome: unknown) => AuditCheck,
): Promise<AuditCheck> {
  const read = await reportedOutcome(history, converter);
  switch (read.kind) {
    case 'unreadable':
      return fail(CHECK, 'it has an encoding unknown here');
    case 'none':
      return unproven(CHECK, `the ${who} has not ended, or was ended from outside`);
    case 'reported':
      return judge(read.outcome);
  }
}

/** A run ends as it was closed, and one that says that it has reached its target was told so by the last decision before. */
export function checkOutcome(
  events: readonly RecordedEvent[],
  history: unknown,
  converter: LoadedDataConverter,
): Promise<AuditCheck> {
  return judgedOutcome('run', { history, converter }, (outcome) => {
    const kind = String(member(outcome, 'kind'));
    const closed = events.findLast((event) => event.kind === 'asked' && event.closes !== '');
    if (closed?.kind === 'asked' && closed.closes !== kind) {
      return fail(CHECK, `the run ended as ${kind}, but was closed as ${closed.closes}`);
    }
    if (kind !== 'done' && kind !== 'rolledBack') return pass(CHECK, kind);
    const overtaken = overtakenIn(events);
    const last = events.findLast((event) => event.kind === 'observed' && !overtaken.has(event));
    const decision = last?.kind === 'observed' ? last.observed.decision : null;
    const next = String(member(member(decision, 'next'), 'kind'));
    return next === 'done'
      ? pass(CHECK, `${kind}, as last decided`)
      : fail(CHECK, `the run ended as ${kind}, but the last decision was ${next}`);
  });
}
