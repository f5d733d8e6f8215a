import { OWNED } from '../../base/truth/truth.js';
import type { RunMeasurement, RunRecord } from './records.js';
import type { BenchRow } from './rows.js';
import { sum } from '../../base/truth/ownership-log.js';
import { spreadOf, type Spread } from '../spread.js';

/** One row in one direction, over all completed runs. */
export interface DirectionSummary {
  readonly title: string;
  readonly direction: RunMeasurement['direction'];
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

const DIRECTIONS: readonly RunMeasurement['direction'][] = ['forward', 'back'];

/** In the order of the rows; a row without completed runs is omitted. */
export function summaries(
  rows: readonly BenchRow[],
  records: readonly RunRecord[],
): readonly DirectionSummary[] {
  return rows.flatMap((row) =>
    DIRECTIONS.flatMap((direction) => {
      const summary = directionSummary(
        row.title,
        direction,
        measurementsOf(row, direction, records),
      );
      return summary === null ? [] : [summary];
    }),
  );
}

/** Directions of completed runs. */
export function measurementsOf(
  row: BenchRow,
  direction: RunMeasurement['direction'] | 'both',
  records: readonly RunRecord[],
): readonly RunMeasurement[] {
  return records
    .filter((record) => record.row === row.name && record.failed === null)
    .flatMap(({ directions }) => directions)
    .filter((one) => direction === 'both' || one.direction === direction);
}

/** Seconds of each controller in each direction: without owner, or with more than one. */
export function secondsOf(
  figure: 'orphanSeconds' | 'overlapSeconds',
  directions: readonly RunMeasurement[],
): readonly number[] {
  return directions.flatMap(({ controllers }) => OWNED.map((loop) => controllers[loop][figure]));
}

function directionSummary(
  title: string,
  direction: RunMeasurement['direction'],
  directions: readonly RunMeasurement[],
): DirectionSummary | null {
  const kcm = spreadOf(directions.map((one) => one.kcm.orphanSeconds));
  const overlap = spreadOf(secondsOf('overlapSeconds', directions));
  if (kcm === null || overlap === null) return null;
  const orphans = OWNED.flatMap((loop) => {
    const spread = spreadOf(directions.map(({ controllers }) => controllers[loop].orphanSeconds));
    return spread === null ? [] : [[loop, spread] as const];
  });
  const gaps = directions.flatMap(({ controllers }) =>
    OWNED.flatMap((loop) => controllers[loop].gapSeconds),
  );
  const meanOf = (of: (one: RunMeasurement) => number): number =>
    sum(directions.map(of)) / directions.length;
  return {
    ...{ title, direction, kcm, overlap, runs: directions.length, gaps: spreadOf(gaps) },
    orphans: Object.fromEntries(orphans),
    moves: meanOf(({ controllers }) => Math.max(...OWNED.map((loop) => controllers[loop].moves))),
    requests: meanOf(({ requests }) => requests),
    writes: meanOf(({ writes }) => writes),
  };
}
