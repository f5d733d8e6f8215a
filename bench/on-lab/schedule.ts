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

/** Evidence is read from a lab's beginning on: more than an hour or two of it takes a truth seconds to join. */
const MOST_TURNS_OF_A_LAB = 20;

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

/** Who leads at the start of a run: each node in its turn. */
export function firstLeader(nodes: readonly string[], run: number): string {
  const leader = nodes[(run - 1) % nodes.length];
  if (leader === undefined) throw new Error('a lab without control-plane nodes');
  return leader;
}
