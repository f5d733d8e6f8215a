import type { LoadedDataConverter } from '@temporalio/common';
import { member } from '../read-json.js';
import { type AuditCheck, fail, pass, unproven } from './audit-check.js';
import { reportedOutcome } from './history-facts.js';
import type { RecordedEvent } from './recorded-run.js';

const CHECK = 'outcome';

/** A run ends as it was closed, and one that says that it has reached its target was told so by the last decision before. */
export async function checkOutcome(
  events: readonly RecordedEvent[],
  history: unknown,
  converter: LoadedDataConverter,
): Promise<AuditCheck> {
  const read = await reportedOutcome(history, converter);
  if (read.kind === 'unreadable') return fail(CHECK, 'it has an encoding unknown here');
  if (read.kind === 'none')
    return unproven(CHECK, 'the run has not ended, or was ended from outside');
  const kind = String(member(read.outcome, 'kind'));
  const closed = events.findLast((event) => event.kind === 'asked' && event.closes !== '');
  if (closed?.kind === 'asked' && closed.closes !== kind) {
    return fail(CHECK, `the run ended as ${kind}, but was closed as ${closed.closes}`);
  }
  if (kind !== 'done' && kind !== 'rolledBack') return pass(CHECK, kind);
  const last = events.findLast((event) => event.kind === 'observed');
  const next = String(member(member(last?.observed.decision, 'next'), 'kind'));
  return next === 'done'
    ? pass(CHECK, `${kind}, as last decided`)
    : fail(CHECK, `the run ended as ${kind}, but the last decision was ${next}`);
}
