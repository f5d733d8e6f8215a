import { OWNED } from '../../base/truth/truth.js';
import { alignedTable } from '../markdown-table.js';
import type { Spread } from '../spread.js';
import type { DirectionSummary } from './summary.js';

const HEAD = [
  ...['row', 'direction', 'runs', ...OWNED, 'other KCM loops', 'one gap'],
  ...['moves', 'two owners', 'requests', 'writes'],
];

/** The figures as a Markdown table, padded as prettier pads it. */
export function figuresTable(summaries: readonly DirectionSummary[]): string {
  return alignedTable([HEAD, ...summaries.map(cellsOf)]);
}

function cellsOf(summary: DirectionSummary): readonly string[] {
  const { title, direction, runs, orphans, kcm, gaps, moves, overlap, requests, writes } = summary;
  return [
    ...[title, direction, String(runs)],
    ...OWNED.map((loop) => spreadText(orphans[loop] ?? null)),
    spreadText(kcm),
    gaps === null ? '–' : gaps.mean.toFixed(1),
    moves.toFixed(1),
    overlap.max === 0 ? '0' : `${overlap.mean.toFixed(1)} (most ${overlap.max.toFixed(1)})`,
    requests.toFixed(0),
    writes.toFixed(0),
  ];
}

function spreadText(spread: Spread | null): string {
  if (spread === null) return '–';
  return [spread.mean, spread.p50, spread.p99, spread.max]
    .map((value) => value.toFixed(1))
    .join(' / ');
}
