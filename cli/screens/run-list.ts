import { flatTexts } from '../terminal/flat-texts.js';
import type { RunView } from '../runs/run-view.js';
import type { Theme } from '../terminal/theme.js';
import { tableLines } from '../terminal/aligned-table.js';
import { shownDuration, stepTitle } from '../terminal/wording.js';
import { codesOf, ownerText, parkedText, stateMark, stateText } from './header.js';

interface Column {
  readonly title: string;
  readonly cell: (view: RunView, theme: Theme, nowMs: number) => string;
}

/** Columns from the left as shown; a narrow screen drops them from the right, but never the first two. */
const COLUMNS: readonly Column[] = [
  { title: 'CLUSTER', cell: ({ cluster }) => cluster },
  { title: 'STATE', cell: stateMark },
  { title: 'LEADER', cell: leader },
  { title: 'AGE', cell: age },
  { title: 'STEP', cell: step },
  { title: 'NO LEADER', cell: withoutLeader },
  { title: 'INFO', cell: info },
];
const ALWAYS = 2;

/** States that need an operator come first, in this order. */
const NEEDS_SOMEBODY: readonly string[] = [
  ...['Unreachable', 'Failed', 'Refused', 'Terminated', 'Failing', 'OtherCode', 'NoWorker'],
  ...['Held', 'WaitsForApproval', 'Parked', 'Paused'],
];

/** Runs as a table, those that wait for an operator first. `width` in columns; Infinity without a screen. */
export function runList(
  views: readonly RunView[],
  theme: Theme,
  { nowMs, width }: { readonly nowMs: number; readonly width: number },
): readonly string[] {
  const sorted = [...flatTexts(views)].sort(
    (a, b) => rank(a) - rank(b) || a.cluster.localeCompare(b.cluster),
  );
  const columns = COLUMNS.map(({ title, cell }) => ({
    title,
    cells: sorted.map((view) => cell(view, theme, nowMs)),
  }));
  return tableLines(columns, { width, always: ALWAYS });
}

function rank(view: RunView): number {
  const at = NEEDS_SOMEBODY.indexOf(stateText(view));
  return at < 0 ? NEEDS_SOMEBODY.length : at;
}

function leader({ contact, outcome }: RunView): string {
  if (outcome !== null) return '-';
  const seen = contact?.seen ?? null;
  if (seen === null || contact?.outage) return 'not known';
  return ownerText(seen.owner, []);
}

function age({ startedAtMs, closedAtMs }: RunView, _theme: Theme, nowMs: number): string {
  return shownDuration((closedAtMs ?? nowMs) - startedAtMs);
}

function step({ status, outcome }: RunView): string {
  if (outcome !== null || status === null) return '-';
  const { step: going, nextStep, phase } = status;
  const named = going ?? nextStep;
  if (named === null) return phase;
  return going === null ? `next ${stepTitle(named)}` : stepTitle(named);
}

function withoutLeader({ contact, outcome }: RunView): string {
  const figures = outcome === null ? (contact?.seen?.ownership ?? null) : outcome.guard;
  return figures === null ? 'not known' : shownDuration(figures.orphanSeconds * 1000);
}

function info(view: RunView): string {
  const { status, contact, outcome } = view;
  if (outcome !== null) return outcome.summary;
  if (status?.pausedBy && status.pause === 'paused') {
    return `by ${status.pausedBy.actor}: "${status.pausedBy.reason}"`;
  }
  return contact?.outage?.error ?? holdsFor(view);
}

function holdsFor(view: RunView): string {
  const parked = view.status === null ? '' : parkedText(view.status);
  return [parked, codesOf(view)].filter((part) => part !== '').join(' · ');
}
