import type { ControllerTruth, OwnedController, OwnershipInterval } from './truth.js';

export type OwnershipLogs = Readonly<Record<OwnedController, OwnershipLog>>;

/** The owners of one controller over time, reported by the processes themselves. */
export class OwnershipLog {
  private readonly active = new Set<string>();
  private readonly closed: OwnershipInterval[] = [];
  private since: { readonly fromMs: number; readonly owners: readonly string[] } | null = null;

  begin(owner: string, atMs: number): void {
    this.active.add(owner);
    this.turn(atMs);
  }

  end(owner: string, atMs: number): void {
    if (this.active.delete(owner)) this.turn(atMs);
  }

  /** Closes the current interval and opens the next; the first one opens with the first owner. */
  private turn(atMs: number): void {
    if (this.since !== null && this.since.fromMs < atMs) {
      this.closed.push({ ...this.since, toMs: atMs });
    }
    this.since = { fromMs: atMs, owners: [...this.active].sort() };
  }

  intervals(): readonly OwnershipInterval[] {
    return this.since === null ? [] : [...this.closed, { ...this.since, toMs: null }];
  }

  truth(nowMs: number): ControllerTruth {
    const intervals = this.intervals();
    const orphans = intervals
      .filter((each) => each.owners.length === 0)
      .map(({ fromMs, toMs }) => ({ fromMs, toMs, seconds: secondsOf({ fromMs, toMs }, nowMs) }));
    return {
      overlapSeconds: sum(
        intervals.filter((each) => each.owners.length > 1).map((each) => secondsOf(each, nowMs)),
      ),
      orphanSeconds: sum(orphans.map((each) => each.seconds)),
      moves: countMoves(intervals),
      intervals,
      orphans,
    };
  }
}

function secondsOf(
  span: { readonly fromMs: number; readonly toMs: number | null },
  nowMs: number,
): number {
  return ((span.toMs ?? nowMs) - span.fromMs) / 1000;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** How often the single owner changed to another process, whatever happened in between. */
export function countMoves(intervals: readonly Pick<OwnershipInterval, 'owners'>[]): number {
  const singles = intervals.flatMap(({ owners }) => (owners.length === 1 ? owners : []));
  return singles.filter((owner, index) => index > 0 && owner !== singles[index - 1]).length;
}
