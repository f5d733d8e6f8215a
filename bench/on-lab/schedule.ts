import type { Row } from './rows.js';

/** One run of one row, there and back. */
export interface Turn {
  readonly row: Row;
  /** From 1; it decides who leads at the start, so that all rows of one number begin alike. */
  readonly run: number;
}

/** A lab, and what is run on it one after the other. */
export interface LabPlan {
  readonly nodes: number;
  readonly turns: readonly Turn[];
}

/**
 * Rows take turns, so that what changes on a machine in hours does not fall on one of them alone. `done` tells the last
 * run of a row that there already is.
 */
export function scheduleOf(
  rows: readonly Row[],
  runs: number,
  done: (row: Row) => number,
): readonly LabPlan[] {
  const turnsOf = (some: readonly Row[]): readonly Turn[] =>
    Array.from({ length: runs }, (_, index) =>
      some.map((row) => ({ row, run: done(row) + index + 1 })),
    ).flat();
  const kept = rows.filter(({ lab }) => lab === 'kept');
  const sizes = [...new Set(kept.map(({ nodes }) => nodes))];
  return [
    ...sizes.map((nodes) => ({ nodes, turns: turnsOf(kept.filter((row) => row.nodes === nodes)) })),
    ...turnsOf(rows.filter(({ lab }) => lab === 'fresh')).map((turn) => ({
      nodes: turn.row.nodes,
      turns: [turn],
    })),
  ].filter(({ turns }) => turns.length > 0);
}

/** Who leads at the start of a run: each node in its turn. */
export function firstLeader(nodes: readonly string[], run: number): string {
  const leader = nodes[(run - 1) % nodes.length];
  if (leader === undefined) throw new Error('a lab without control-plane nodes');
  return leader;
}
