import type { BadFigures, BadRow } from './bad-windows.js';
import type { BrokenFigures } from './broken-figures.js';
import type { GoodFigures } from './good-runs.js';
import type { GoodKind } from './traces/good-courses.js';

/** All that was measured, as it is kept. */
export interface GateFigures {
  readonly seconds: number;
  readonly good: readonly GoodSummary[];
  readonly bad: readonly BadSummary[];
  /** Absent from runs of before they were judged here, too. */
  readonly broken?: BrokenFigures;
}

export interface GoodSummary extends Omit<GoodFigures, 'heldMinutes'> {
  readonly heldMinutes: Delays;
}

export interface BadSummary {
  readonly row: BadRow;
  readonly windows: number;
  readonly fail: Delays;
  readonly suspect: Delays;
  readonly scrapes: Delays;
  readonly ends: BadFigures['ends'];
  readonly others: readonly Delays[];
}

/** How often something came, and when. */
export interface Delays {
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export function joinedGood(parts: readonly GoodFigures[]): readonly GoodSummary[] {
  return groupsOf(parts, ({ hours }) => hours).map((same) => ({
    hours: same[0]?.hours ?? 0,
    runs: summedOver(same, ({ runs }) => runs),
    failed: summedOver(same, ({ failed }) => failed),
    failedGates: joinedCounts<GoodKind>(same.map(({ failedGates }) => failedGates)),
    suspected: summedOver(same, ({ suspected }) => suspected),
    gatesSuspected: joinedCounts<GoodKind>(same.map(({ gatesSuspected }) => gatesSuspected)),
    heldMinutes: delaysOf(same.flatMap(({ heldMinutes }) => heldMinutes)),
    otherFailed: (same[0]?.otherFailed ?? []).map((_, rule) =>
      summedOver(same, ({ otherFailed }) => otherFailed[rule] ?? 0),
    ),
  }));
}

export function joinedBad(parts: readonly BadFigures[]): readonly BadSummary[] {
  return groupsOf(parts, ({ row }) => JSON.stringify(row)).map((same) => ({
    row: rowOf(same),
    windows: summedOver(same, ({ windows }) => windows),
    fail: delaysOf(same.flatMap(({ failSeconds }) => failSeconds)),
    suspect: delaysOf(same.flatMap(({ suspectSeconds }) => suspectSeconds)),
    scrapes: delaysOf(same.flatMap(({ failScrapes }) => failScrapes)),
    ends: joinedCounts(same.map(({ ends }) => ends)),
    others: (same[0]?.otherSeconds ?? []).map((_, rule) =>
      delaysOf(same.flatMap(({ otherSeconds }) => otherSeconds[rule] ?? [])),
    ),
  }));
}

function groupsOf<T>(
  values: readonly T[],
  keyOf: (value: T) => unknown,
): readonly (readonly T[])[] {
  const keys = [...new Set(values.map(keyOf))];
  return keys.map((key) => values.filter((each) => keyOf(each) === key));
}

function rowOf([first]: readonly BadFigures[]): BadRow {
  if (first === undefined) throw new Error('a group without windows');
  return first.row;
}

function delaysOf(values: readonly number[]): Delays {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = (share: number): number | null =>
    sorted[Math.ceil(share * sorted.length) - 1] ?? null;
  return { count: sorted.length, p50: rank(0.5), p95: rank(0.95) };
}

function summedOver<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((sum, each) => sum + of(each), 0);
}

function joinedCounts<K extends string>(
  counts: readonly Readonly<Partial<Record<K, number>>>[],
): Readonly<Partial<Record<K, number>>> {
  const joined: Partial<Record<K, number>> = {};
  for (const each of counts)
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the keys of a record of this type
    for (const key of Object.keys(each) as K[]) joined[key] = (joined[key] ?? 0) + (each[key] ?? 0);
  return joined;
}
