import { firstWhere } from './first-where.js';
import type { Row } from './fleet-state.js';

/** Rows of one kind, in lanes of rows that are alike, each lane in an order. */
export interface RowLanes {
  /** Unique: what is kept is found by it. */
  readonly name: string;
  readonly includes: (row: Row) => boolean;
  readonly laneOf: (row: Row) => string;
  /** Leaves no two rows equal, so that a lane is the same whatever happened before. */
  readonly order: (a: Row, b: Row) => number;
}

/** How many rows have a property, for several properties at once. */
export interface RowTally<Key extends string> {
  /** Unique: what is kept is found by it. */
  readonly name: string;
  /** The properties of a row, each once. */
  readonly keysOf: (row: Row) => readonly Key[];
}

type Lanes = Map<string, Row[]>;
type Counts = Map<string, number>;

/** What was asked of some rows, with its answer. It follows from them alone and never enters a history. */
interface RowIndex {
  readonly lanes: Map<string, { readonly kind: RowLanes; readonly lanes: Lanes }>;
  readonly tallies: Map<string, { readonly kind: RowTally<string>; readonly counts: Counts }>;
}

const INDEXES = new WeakMap<readonly Row[], RowIndex>();

function indexOf(rows: readonly Row[]): RowIndex {
  const known = INDEXES.get(rows);
  if (known !== undefined) return known;
  const index: RowIndex = { lanes: new Map(), tallies: new Map() };
  INDEXES.set(rows, index);
  return index;
}

/**
 * The rows with one of them replaced. What is known of them moves along, so that an event costs what it changes and does not
 * read every row; of the former rows, if anyone asks again, it is counted again.
 */
export function replaceRow(rows: readonly Row[], row: Row): readonly Row[] {
  const next = rows.with(row.index, row);
  const index = INDEXES.get(rows);
  if (index === undefined) return next;
  INDEXES.delete(rows);
  INDEXES.set(next, index);
  for (const before of rows.slice(row.index, row.index + 1)) {
    for (const { kind, lanes } of index.lanes.values()) moveRow(kind, lanes, before, row);
    for (const { kind, counts } of index.tallies.values()) {
      count(counts, kind.keysOf(before), -1);
      count(counts, kind.keysOf(row), 1);
    }
  }
  return next;
}

/**
 * The lanes that have rows, in no order that means anything. Each is valid until the next change of these rows: look, and do
 * not keep.
 */
export function lanesOf(rows: readonly Row[], kind: RowLanes): ReadonlyMap<string, readonly Row[]> {
  const index = indexOf(rows);
  const known = index.lanes.get(kind.name);
  if (known !== undefined) return known.lanes;
  const lanes: Lanes = new Map();
  for (const row of rows) if (kind.includes(row)) laneFor(lanes, kind.laneOf(row)).push(row);
  for (const lane of lanes.values()) lane.sort(kind.order);
  index.lanes.set(kind.name, { kind, lanes });
  return lanes;
}

/** One lane; valid as long as all of them. */
export function laneIn(rows: readonly Row[], kind: RowLanes, lane: string): readonly Row[] {
  return lanesOf(rows, kind).get(lane) ?? [];
}

/** How many of the rows have a property. */
export function countIn<Key extends string>(
  rows: readonly Row[],
  kind: RowTally<Key>,
  key: Key,
): number {
  const index = indexOf(rows);
  const known = index.tallies.get(kind.name);
  if (known !== undefined) return known.counts.get(key) ?? 0;
  const counts: Counts = new Map();
  for (const row of rows) count(counts, kind.keysOf(row), 1);
  index.tallies.set(kind.name, { kind, counts });
  return counts.get(key) ?? 0;
}

function count(counts: Counts, keys: readonly string[], by: number): void {
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + by);
}

function laneFor(lanes: Lanes, name: string): Row[] {
  const known = lanes.get(name);
  if (known !== undefined) return known;
  const lane: Row[] = [];
  lanes.set(name, lane);
  return lane;
}

function moveRow(kind: RowLanes, lanes: Lanes, before: Row, after: Row): void {
  if (kind.includes(before)) {
    const name = kind.laneOf(before);
    const lane = laneFor(lanes, name);
    lane.splice(placeOf(kind, lane, before), 1);
    if (lane.length === 0) lanes.delete(name);
  }
  if (!kind.includes(after)) return;
  const lane = laneFor(lanes, kind.laneOf(after));
  lane.splice(placeOf(kind, lane, after), 0, after);
}

function placeOf({ order }: RowLanes, lane: readonly Row[], row: Row): number {
  return firstWhere(lane, (each) => order(each, row) >= 0);
}
