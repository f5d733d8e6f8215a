import type { BenchRow } from './rows.js';

/** One run of one row, forward and back. */
export interface Turn {
  readonly row: BenchRow;
  /** From 1. It determines who leads at the start, so that all rows start alike in a run of the same number. */
  readonly run: number;
}

/** A lab, and the turns that run on it one after the other. */
export interface LabPlan {
  readonly nodes: number;
  readonly turns: readonly Turn[];
}

/** The evidence of a lab is read from its start: beyond an hour or two of it, evaluation takes seconds. */
const MOST_TURNS_OF_A_LAB = 20;

/**
 * Interleaves the rows, so that changes of the machine over hours do not affect one row alone. `done` returns the
 * number of the last recorded run of a row.
 */
export function scheduleOf(
  rows: readonly BenchRow[],
  runs: number,
  done: (row: BenchRow) => number,
): readonly LabPlan[] {
  const turnsOf = (some: readonly BenchRow[]): readonly Turn[] =>
    Array.from({ length: runs }, (_, index) =>
      some.map((row) => ({ row, run: done(row) + index + 1 })),
    ).flat();
  const kept = rows.filter(({ lab }) => lab === 'kept');
  const sizes = [...new Set(kept.map(({ nodes }) => nodes))];
  return [
    ...sizes.flatMap((nodes) => {
      const turns = turnsOf(kept.filter((row) => row.nodes === nodes));
      return piecesOf(turns).map((piece) => ({ nodes, turns: piece }));
    }),
    ...turnsOf(rows.filter(({ lab }) => lab === 'fresh')).map((turn) => ({
      nodes: turn.row.nodes,
      turns: [turn],
    })),
  ];
}

function piecesOf(turns: readonly Turn[]): readonly (readonly Turn[])[] {
  const count = Math.ceil(turns.length / MOST_TURNS_OF_A_LAB);
  return Array.from({ length: count }, (_, index) =>
    turns.slice(index * MOST_TURNS_OF_A_LAB, (index + 1) * MOST_TURNS_OF_A_LAB),
  );
}

/** Who leads at the start of a run: the nodes in rotation. */
export function firstLeader(nodes: readonly string[], run: number): string {
  const leader = nodes[(run - 1) % nodes.length];
  if (leader === undefined) throw new Error('the lab has no control-plane nodes');
  return leader;
}
