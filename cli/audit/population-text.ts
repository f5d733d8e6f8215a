import { oneLine } from '../../domain/findings/plain-text.js';
import type { PopulationGap } from '../../domain/evidence/population.js';
import { csvText } from '../terminal/csv-text.js';
import { tableLines } from '../terminal/aligned-table.js';
import type { AuditedFleet } from './fleet/fleets-on-record.js';
import { isoTime } from './run-span.js';
import type { AuditedRun } from './runs-on-record.js';

/** What is missing, in one line. */
export function gapText(gap: PopulationGap): string {
  switch (gap.kind) {
    case 'missingRun': {
      const epochs =
        gap.from === gap.to
          ? `epoch ${String(gap.from)}`
          : `epochs ${String(gap.from)} to ${String(gap.to)}`;
      return `${gap.cluster}: it was changed under ${epochs} of its fence, by a run that neither the server nor an export knows`;
    }
    case 'unprovenRun':
      return `${gap.run.cluster}: run ${gap.run.runId} says that it took epoch ${String(gap.epoch)} of its fence, and no worker of the access policy signed that: export it, or find who did`;
    case 'fenceFell':
      return `${gap.cluster}: its fence counts ${String(gap.epoch)} epochs, runs took ${String(gap.taken)}: it was deleted, or restored from a backup`;
    case 'takenTwice':
      return `${gap.cluster}: two runs took epoch ${String(gap.epoch)} of its fence`;
    case 'notExported':
      return `${gap.run.cluster}: run ${gap.run.runId} has ended, and its export is not there`;
    case 'deleted':
      return `${gap.run.cluster}: run ${gap.run.runId} was deleted from the server before its time`;
    case 'onlyInLog':
      return `${gap.run.cluster}: run ${gap.run.runId} is in the log, and neither the server nor an export has it`;
  }
}

/** The same as a part of an output document. */
export function gapDocument(gap: PopulationGap) {
  const runId = 'run' in gap ? gap.run.runId : null;
  const cluster = 'run' in gap ? gap.run.cluster : gap.cluster;
  return { kind: gap.kind, cluster, runId, detail: gapText(gap) };
}

/** A run as a part of an output document. */
export function auditedRunDocument(run: AuditedRun) {
  const { workflowId, runId, cluster, uid, target, outcome, actor, principal, reason, ticket } =
    run;
  const { startedAtMs, endedAtMs, epochs, listed, exported } = run;
  return {
    ...{ workflowId, runId, cluster, uid, target, outcome, actor, principal, reason },
    ticket,
    ...{ startedAt: isoTime(startedAtMs), endedAt: isoTime(endedAtMs) },
    ...{ epochs: [...epochs], listed, exported },
  };
}

/** One line for each run, below a head; columns that do not fit are left out. */
export function runTable(runs: readonly AuditedRun[], width = Infinity): readonly string[] {
  const columns: readonly Column<AuditedRun>[] = [
    ['CLUSTER', ({ cluster }) => cluster],
    STARTED,
    ['TARGET', ({ target }) => target],
    OUTCOME,
    ['BY', ({ principal, actor }) => (principal === '' ? claimed(actor) : principal)],
    ...WHERE_AND_WHY,
  ];
  return table(runs, columns, { width, always: 4 });
}

/** The same of fleets. */
export function fleetRunTable(
  fleets: readonly AuditedFleet[],
  width = Infinity,
): readonly string[] {
  const columns: readonly Column<AuditedFleet>[] = [
    ['FLEET', ({ fleet }) => fleet],
    STARTED,
    OUTCOME,
    ['BY', ({ actor }) => claimed(actor)],
    ...WHERE_AND_WHY,
  ];
  return table(fleets, columns, { width, always: 3 });
}

/** What runs of clusters and of fleets have in common. */
type Audited = Pick<
  AuditedRun,
  'startedAtMs' | 'outcome' | 'exported' | 'listed' | 'ticket' | 'reason' | 'runId'
>;

type Column<Row> = readonly [title: string, cell: (row: Row) => string];

const STARTED: Column<Audited> = [
  'STARTED',
  ({ startedAtMs }) => new Date(startedAtMs).toISOString().slice(0, 19),
];

const OUTCOME: Column<Audited> = ['OUTCOME', ({ outcome }) => outcome];

const WHERE_AND_WHY: readonly Column<Audited>[] = [
  ['EXPORT', ({ exported }) => (exported ? 'yes' : 'no')],
  ['SERVER', ({ listed }) => (listed ? 'yes' : 'no')],
  ['TICKET', ({ ticket }) => ticket],
  ['REASON', ({ reason }) => reason],
  ['RUN', ({ runId }) => runId],
];

function claimed(actor: string): string {
  return `${actor} (claimed)`;
}

function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  layout: { readonly width: number; readonly always: number },
): readonly string[] {
  return tableLines(
    columns.map(([title, cell]) => ({
      title,
      // Reasons and tickets are foreign: a line end in one would pass for another run.
      cells: rows.map((row) => oneLine(cell(row))),
    })),
    layout,
  );
}

/** The run of a fleet as a part of an output document. */
export function auditedFleetDocument(run: AuditedFleet) {
  const { workflowId, runId, fleet, outcome, actor, reason, ticket, listed, exported } = run;
  return {
    ...{ workflowId, runId, fleet, outcome, actor, reason, ticket },
    ...{ startedAt: isoTime(run.startedAtMs), endedAt: isoTime(run.endedAtMs) },
    ...{ listed, exported },
  };
}

/** The same members as the document of a list, one row for each run: for spreadsheets. Only a fleet's own has a fleet. */
export function runsCsv(runs: readonly AuditedRun[], fleets: readonly AuditedFleet[] = []): string {
  const rows: readonly Readonly<Record<string, string | boolean>>[] = [
    ...runs.map(auditedRunDocument).map(({ epochs, ...rest }) => ({
      ...rest,
      epochs: epochs.join(' '),
    })),
    ...fleets.map(auditedFleetDocument),
  ];
  return csvText(
    CSV_COLUMNS,
    rows.map((row) => CSV_COLUMNS.map((name) => String(row[name] ?? ''))),
  );
}

const CSV_COLUMNS = [
  ...(['cluster', 'startedAt', 'endedAt', 'target', 'outcome', 'actor', 'principal'] as const),
  ...(['reason', 'ticket', 'epochs', 'exported', 'listed', 'runId', 'workflowId', 'uid'] as const),
  'fleet',
] as const;
