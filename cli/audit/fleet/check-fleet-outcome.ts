import type { LoadedDataConverter } from '@temporalio/common';
import { readFleetCommand } from '../../../domain/fleet/read-fleet-command.js';
import { fieldsOf, readCount } from '../../../domain/fleet/read-fields.js';
import { member } from '../../read-json.js';
import { type AuditCheck, fail, pass } from '../audit-check.js';
import { judgedOutcome } from '../check-outcome.js';
import { eventsOf, textIn } from '../history-facts.js';
import { beginsIn, type RecordedFleetEvent } from './recorded-fleet.js';

const CHECK = 'outcome';

/** A fleet counts each of its clusters once, counts none as proven that it did not start, and is stopped only by who told it to stop. */
export function checkFleetOutcome(
  records: readonly RecordedFleetEvent[],
  history: unknown,
  converter: LoadedDataConverter,
): Promise<AuditCheck> {
  return judgedOutcome('fleet', { history, converter }, (outcome) => {
    const counts = countsIn(outcome);
    const kind = textIn(outcome, 'kind');
    const wrong = wrongCounts(counts, records) ?? wrongEnd(kind, records, history);
    if (wrong !== null) return fail(CHECK, wrong);
    const told = [...(counts ?? [])].map(([phase, count]) => `${String(count)} ${phase}`);
    return pass(CHECK, `${kind}: ${told.join(', ')}`);
  });
}

function wrongCounts(
  counts: ReadonlyMap<string, number> | null,
  records: readonly RecordedFleetEvent[],
): string | null {
  if (counts === null) return 'it counts no clusters';
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const rows = rowsAtEnd(records);
  if (all !== rows) return `it counts ${String(all)} of ${String(rows)} clusters`;
  const proven = counts.get('proven') ?? 0;
  const started = startedRows(records).size;
  if (proven > started)
    return `it counts ${String(proven)} as proven, and started ${String(started)}`;
  return null;
}

function wrongEnd(
  kind: string,
  records: readonly RecordedFleetEvent[],
  history: unknown,
): string | null {
  if (kind !== 'done' && kind !== 'stopped') return `it ended as ${kind}`;
  if (kind === 'stopped' && !wasTold(records, history))
    return 'it was stopped, and no one told it to stop';
  return null;
}

/** Clusters by how they ended; null for what is none. */
function countsIn(outcome: unknown): ReadonlyMap<string, number> | null {
  const counts = member(outcome, 'counts');
  if (Array.isArray(counts)) return null;
  const read = Object.entries(fieldsOf(counts)).map(
    ([phase, count]) => [phase, readCount(count)] as const,
  );
  const known = read.flatMap(([phase, count]) => (count === null ? [] : [[phase, count] as const]));
  return known.length === read.length ? new Map(known) : null;
}

function rowsAtEnd(records: readonly RecordedFleetEvent[]): number {
  return beginsIn(records).at(-1)?.waveOf.length ?? 0;
}

/** Rows that were started by this run, or had been when the fleet was opened again. */
function startedRows(records: readonly RecordedFleetEvent[]): ReadonlySet<number> {
  const before = beginsIn(records)[0]?.carried?.started ?? [];
  return new Set([
    ...before.flatMap((wasStarted, row) => (wasStarted ? [row] : [])),
    ...records.flatMap((record) =>
      record.kind === 'starts' ? record.starts.map(({ row }) => row) : [],
    ),
  ]);
}

function wasTold(records: readonly RecordedFleetEvent[], history: unknown): boolean {
  const isCancelled = eventsOf(history).some(
    (event) => member(event, 'workflowExecutionCancelRequestedEventAttributes') !== undefined,
  );
  const isCarried = beginsIn(records).some(({ carried }) => carried?.stopped === true);
  return isCancelled || isCarried || records.some(isStop);
}

function isStop(record: RecordedFleetEvent): boolean {
  if (record.kind !== 'command') return false;
  const read = readFleetCommand(record.sent);
  return read.kind === 'command' && read.command.order.verb === 'stop';
}
