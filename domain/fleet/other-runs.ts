/**
 * What changes clusters beside this fleet: open runs of other fleets and of clusters on their own, as the server lists them.
 * `alone`: none are asked for, as in a forecast. `unknown`: they have not been counted yet, so that a cap lets nothing start.
 */
export type OtherRuns = { readonly kind: 'alone' } | { readonly kind: 'unknown' } | CountedRuns;

interface CountedRuns {
  readonly kind: 'counted';
  /** By group, of the groups that have any. */
  readonly counts: Readonly<Record<string, number>>;
  /** Open runs of an older version, which do not say their labels: they are in no count. */
  readonly unlabelled: number;
  /** When the server was asked. */
  readonly atMs: number;
  /** Since when it has answered the same. */
  readonly sinceMs: number;
}

export const ALONE: OtherRuns = { kind: 'alone' };
export const UNKNOWN: OtherRuns = { kind: 'unknown' };

/** After this time without an answer, what others do is unknown again. */
const KNOWN_FOR_MS = 3 * 60_000;

/** How many runs of others change clusters of a group; null when that is not known. */
export function othersIn(
  { otherRuns, nowMs }: { readonly otherRuns: OtherRuns; readonly nowMs: number },
  group: string,
): number | null {
  switch (otherRuns.kind) {
    case 'alone':
      return 0;
    case 'unknown':
      return null;
    case 'counted':
      return nowMs - otherRuns.atMs > KNOWN_FOR_MS ? null : (otherRuns.counts[group] ?? 0);
  }
}

/** A count of an earlier time says nothing against a later one. */
export function withOthers(
  before: OtherRuns,
  counted: Omit<CountedRuns, 'kind' | 'sinceMs'>,
): OtherRuns {
  if (before.kind !== 'counted') return { kind: 'counted', ...counted, sinceMs: counted.atMs };
  if (counted.atMs < before.atMs) return before;
  const sinceMs = isSame(before, counted) ? before.sinceMs : counted.atMs;
  return { kind: 'counted', ...counted, sinceMs };
}

type Counted = Pick<CountedRuns, 'counts' | 'unlabelled'>;

function isSame(before: Counted, after: Counted): boolean {
  const groups = Object.keys({ ...before.counts, ...after.counts });
  return (
    before.unlabelled === after.unlabelled &&
    groups.every((group) => before.counts[group] === after.counts[group])
  );
}

/** As carried by the state of an earlier build, which counted only its own clusters and said nothing of others. */
export function carriedOthers(carried: OtherRuns | Record<string, never>): OtherRuns {
  return isOtherRuns(carried) ? carried : UNKNOWN;
}

function isOtherRuns(carried: OtherRuns | Record<string, never>): carried is OtherRuns {
  return 'kind' in carried;
}
