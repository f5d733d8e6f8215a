import { OWNED } from '../../lab/truth/loops-of-process.js';
import type { LegRecord, RunRecord } from './records.js';
import type { Row } from './rows.js';
import { spreadOf, sum, type Spread } from './spread.js';

/** One row in one direction, over all completed runs. */
export interface LegSummary {
  readonly title: string;
  readonly leg: LegRecord['leg'];
  readonly runs: number;
  /** Seconds without owner in the whole direction, by controller. */
  readonly orphans: Readonly<Record<string, Spread>>;
  /** Seconds without a leading kube-controller-manager. */
  readonly kcm: Spread;
  /** Seconds of each period without an owner, over all controllers; null when there was none. */
  readonly gaps: Spread | null;
  /** Means per run. */
  readonly moves: number;
  readonly requests: number;
  readonly writes: number;
  /** Seconds with more than one owner: the maximum of any controller in any run, and the mean over all. */
  readonly overlap: Spread;
}

const LEGS: readonly LegRecord['leg'][] = ['forward', 'back'];

/** In the order of the rows; a row without completed runs is omitted. */
export function summaries(
  rows: readonly Row[],
  records: readonly RunRecord[],
): readonly LegSummary[] {
  return rows.flatMap((row) =>
    LEGS.flatMap((leg) => {
      const summary = legSummary(row.title, leg, legsOf(row, leg, records));
      return summary === null ? [] : [summary];
    }),
  );
}

/** Directions of completed runs. */
export function legsOf(
  row: Row,
  leg: LegRecord['leg'] | 'both',
  records: readonly RunRecord[],
): readonly LegRecord[] {
  return records
    .filter((record) => record.row === row.name && record.failed === null)
    .flatMap(({ legs }) => legs)
    .filter((one) => leg === 'both' || one.leg === leg);
}

/** Seconds without owner of each controller in each direction. */
export function orphanSeconds(legs: readonly LegRecord[]): readonly number[] {
  return legs.flatMap(({ controllers }) => OWNED.map((loop) => controllers[loop].orphanSeconds));
}

export function overlapSeconds(legs: readonly LegRecord[]): readonly number[] {
  return legs.flatMap(({ controllers }) => OWNED.map((loop) => controllers[loop].overlapSeconds));
}

function legSummary(
  title: string,
  leg: LegRecord['leg'],
  legs: readonly LegRecord[],
): LegSummary | null {
  const kcm = spreadOf(legs.map((one) => one.kcm.orphanSeconds));
  const overlap = spreadOf(overlapSeconds(legs));
  if (kcm === null || overlap === null) return null;
  const orphans = OWNED.flatMap((loop) => {
    const spread = spreadOf(legs.map(({ controllers }) => controllers[loop].orphanSeconds));
    return spread === null ? [] : [[loop, spread] as const];
  });
  const gaps = legs.flatMap(({ controllers }) =>
    OWNED.flatMap((loop) => controllers[loop].gapSeconds),
  );
  const meanOf = (of: (one: LegRecord) => number): number => sum(legs.map(of)) / legs.length;
  return {
    ...{ title, leg, kcm, overlap, runs: legs.length, gaps: spreadOf(gaps) },
    orphans: Object.fromEntries(orphans),
    moves: meanOf(({ controllers }) => Math.max(...OWNED.map((loop) => controllers[loop].moves))),
    requests: meanOf(({ requests }) => requests),
    writes: meanOf(({ writes }) => writes),
  };
}
