import type { JournalRow } from '../../../domain/fleet/lower-bound.js';
import type { RowPlan } from '../../../domain/fleet/fleet-plan.js';
import type { JournalLine } from './bench-journal.js';

/** From its first moment to the one after its last. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the journal says about one cluster. */
export interface BenchAccount extends JournalRow {
  /** From each first fence to the forward soak or to the end of the run. */
  readonly moving: readonly Interval[];
  /** From each first fence to the end of the run. */
  readonly unproven: readonly Interval[];
  /** It failed after something had changed. */
  readonly burnt: boolean;
  readonly changed: boolean;
  readonly closed: readonly string[];
}

/** One account for each row of the plan, in its order. */
export function accountsOf(
  rows: readonly RowPlan[],
  lines: readonly JournalLine[],
): readonly BenchAccount[] {
  const byCluster = new Map<string, JournalLine[]>(rows.map(({ name }) => [name, []]));
  for (const line of lines) byCluster.get(line.cluster)?.push(line);
  const endMs = lines.at(-1)?.atMs ?? 0;
  return rows.map((row) => accountOf(row, byCluster.get(row.name) ?? [], endMs));
}

/** How many of these intervals overlap at most. One that ends when another begins does not overlap it. */
export function mostOverlapping(intervals: readonly Interval[]): number {
  const edges = intervals
    .flatMap(({ fromMs, toMs }) => [
      { atMs: fromMs, by: 1 },
      { atMs: toMs, by: -1 },
    ])
    .sort((one, other) => one.atMs - other.atMs || one.by - other.by);
  let now = 0;
  let most = 0;
  for (const { by } of edges) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** Steps that began between two moments. */
export function stepsBegun(lines: readonly JournalLine[], { fromMs, toMs }: Interval): number {
  return lines.filter(({ kind, atMs }) => kind === 'step' && atMs >= fromMs && atMs < toMs).length;
}

interface OpenAccount {
  movingSinceMs: number | null;
  unprovenSinceMs: number | null;
  soakSinceMs: number | null;
  soakMs: number;
  soaked: boolean;
  readonly moving: Interval[];
  readonly unproven: Interval[];
}

function accountOf(
  { name, canary, groups }: RowPlan,
  lines: readonly JournalLine[],
  endMs: number,
): BenchAccount {
  const open: OpenAccount = {
    ...{ movingSinceMs: null, unprovenSinceMs: null, soakSinceMs: null, soakMs: 0, soaked: false },
    ...{ moving: [], unproven: [] },
  };
  for (const line of lines) take(open, line);
  stopMoving(open, endMs);
  stopUnproven(open, endMs);
  const { moving, unproven, soakMs } = open;
  const closed = lines.flatMap((line) => (line.kind === 'closed' ? [line.outcome] : []));
  const burnt = lines.some(({ kind }) => kind === 'failed');
  return {
    ...{ name, canary, groups, moving, unproven, soakMs, closed, burnt },
    proven: open.soaked && closed.at(-1) === 'done',
    changed: lines.some(({ kind }) => kind === 'step'),
    changeMs: moving.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
  };
}

function take(open: OpenAccount, line: JournalLine): void {
  const { atMs } = line;
  switch (line.kind) {
    case 'fence':
    case 'step':
      // A fence that is taken again in a soak does not change the cluster.
      if (line.kind === 'step' || open.soakSinceMs === null) open.movingSinceMs ??= atMs;
      open.unprovenSinceMs ??= atMs;
      return;
    case 'soak':
      if (line.target === 'ccm') beginSoak(open, atMs);
      return;
    case 'soaked':
      if (line.target === 'ccm') endSoak(open, atMs);
      return;
    case 'closed':
      stopMoving(open, atMs);
      stopUnproven(open, atMs);
      open.soakSinceMs = null;
      return;
    case 'changed':
    case 'failed':
      return;
  }
}

/** A soak that another attempt continues is one soak. */
function beginSoak(open: OpenAccount, atMs: number): void {
  stopMoving(open, atMs);
  open.soakSinceMs ??= atMs;
}

function endSoak(open: OpenAccount, atMs: number): void {
  open.soakMs += atMs - (open.soakSinceMs ?? atMs);
  open.soaked = true;
}

function stopMoving(open: OpenAccount, atMs: number): void {
  if (open.movingSinceMs === null) return;
  open.moving.push({ fromMs: open.movingSinceMs, toMs: atMs });
  open.movingSinceMs = null;
}

function stopUnproven(open: OpenAccount, atMs: number): void {
  if (open.unprovenSinceMs === null) return;
  open.unproven.push({ fromMs: open.unprovenSinceMs, toMs: atMs });
  open.unprovenSinceMs = null;
}
